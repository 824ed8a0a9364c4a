import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Flag } from "@orchernetes/component";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { schedulerConfigurationSchema } from "../../../../apps/orch-scheduler/src/config/scheduler-configuration.ts";
import { fieldsOf, isListed, type SchemaNode } from "../schema-fields.ts";
import { tables } from "../status-page.ts";
import { changedPaths, type Reads } from "./record-reads.ts";
import { sampleValue } from "./sample-value.ts";
import { samplesOf } from "./samples.ts";
import { type Startable, startables } from "./starts.ts";
import { testedElsewhere, type Witness } from "./tested-elsewhere.ts";

const root = join(import.meta.dirname, "../../../..");
const daemonNames = Object.keys(tables) as readonly (keyof typeof tables)[];

/**
 * Groups that are copied or gone through as a whole by what they are made for: connections, limits of requests, labels of a node,
 * a template.
 */
const handedOver = [
  "api",
  "client",
  "task.client",
  "tokenReviewClient",
  "accessReviewClient",
  "rateLimit",
  "nodeClient",
  "proxyClient",
  "serverFeatures",
  "nodeLabels",
  "controllers.persistentvolume-binder.nfsRecycler.template",
  "controllers.persistentvolume-binder.hostPathRecycler.template",
];

let dir: string;
let started: Awaited<ReturnType<typeof startables>>;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-effects-"));
  started = await startables(dir);
}, 60_000);
afterAll(async () => {
  await started.close();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

const recorded = new Map<string, Promise<Reads>>();
function readsOf(name: keyof typeof tables): Promise<Reads> {
  const known = recorded.get(name) ?? started.daemons[name].run();
  recorded.set(name, known);
  return known;
}

const isRead = (reads: Reads, path: string): boolean =>
  reads.direct.has(path) || (reads.copied.has(path) && isListed(handedOver, path));

/** What the start of a daemon sees of a flag that is set: undefined when it sees it, else what is missing. */
async function error(daemon: Startable, reads: Reads, argv: readonly string[]): Promise<string | undefined> {
  const changed = changedPaths(await daemon.configure([]), await daemon.configure(argv));
  if (changed.some((path) => isRead(reads, path))) return undefined;
  return changed.length === 0 ? "changes no setting" : `changes what nobody reads: ${changed.join(", ")}`;
}

const isTold = ([file, ...words]: Witness): boolean => {
  const path = join(root, file);
  return existsSync(path) && words.every((word) => readFileSync(path, "utf8").includes(word));
};

describe.each(daemonNames)("%s", (name) => {
  const { flags: elsewhere, fields } = testedElsewhere[name] ?? { flags: {}, fields: {} };
  const withEffect = Object.entries(tables[name]).filter(
    ([, flag]) => !("effect" in flag) && !("oneOf" in flag && flag.oneOf.length === 1),
  );

  test("reads at its start what each flag changes, or a test of its own sees the effect", async () => {
    const samples = samplesOf(dir, { client: started.client, ...started.pair })[name] ?? {};
    const reads = await readsOf(name);
    const errors: string[] = [];
    for (const [flag, row] of withEffect) {
      const { field } = row as Flag;
      if (elsewhere[flag] !== undefined || (field !== undefined && fields[field] !== undefined)) continue;
      const sample = samples[flag] ?? sampleValue(row);
      if (sample === undefined) {
        errors.push(`--${flag}: no value to set it to`);
        continue;
      }
      const argv = typeof sample === "string" ? [`--${flag}=${sample}`] : sample;
      const found = await error(started.daemons[name], reads, argv);
      if (found !== undefined) errors.push(`--${flag} ${found}`);
    }
    expect(errors).toEqual([]);
  }, 120_000);

  test("has the tests that see what a start does not", () => {
    expect(Object.entries({ ...elsewhere, ...fields }).filter(([, witness]) => !isTold(witness))).toEqual([]);
    const known = new Set(withEffect.map(([flag]) => flag));
    expect(Object.keys(elsewhere).filter((flag) => !known.has(flag))).toEqual([]);
  });
});

test.each([
  ["orchlet", orchletConfigurationSchema as SchemaNode, []],
  // Profiles are lists and extenders none: what they hold has tests of its own.
  ["orch-scheduler", schedulerConfigurationSchema as SchemaNode, ["extenders"]],
] as const)(
  "%s reads every field of its document",
  async (name, schema, without) => {
    const reads = await readsOf(name);
    const { fields } = testedElsewhere[name] ?? { fields: {} };
    const passedOver = [...without, ...Object.keys(fields), "apiVersion", "kind"];
    const paths = fieldsOf(schema).filter((path) => !isListed(passedOver, path));
    const seen = [...reads.direct, ...reads.copied];
    const isSeen = (path: string) => seen.some((one) => isListed([`settings.${path}`], one));
    expect(paths.filter((path) => !isSeen(path))).toEqual([]);
  },
  60_000,
);
