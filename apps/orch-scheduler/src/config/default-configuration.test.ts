import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseFlags } from "@orchernetes/component";
import { parseConfig, parseConfigText } from "@orchernetes/config";
import { afterAll, beforeAll, expect, test } from "vitest";
import { completeConfig } from "../config.ts";
import { schedulerFlags } from "../flags/index.ts";
import { EXTENSION_POINTS } from "../framework/extension-point.ts";
import { ARGUMENTS, type Arguments } from "./plugin-args.ts";
import { type ProfileConfiguration, schedulerConfigurationFile } from "./scheduler-configuration.ts";
import { selectionErrors, selectPlugins } from "./select-plugins.ts";
import { API_VERSIONS } from "./versions.ts";

const head = { apiVersion: API_VERSIONS[0], kind: "OrchSchedulerConfiguration" };
const parse = (document: unknown) => parseConfig(document, schedulerConfigurationFile, "f");
const selected = ({ plugins }: ProfileConfiguration) =>
  EXTENSION_POINTS.map((point) => [point, selectPlugins(plugins, point)] as const);
/** What a plugin is created with: its arguments, or the defaults. */
const argumentsOf = ({ pluginConfig }: ProfileConfiguration) =>
  Object.entries(ARGUMENTS).map(([name, schema]) => {
    const given = pluginConfig.find((entry) => entry.name === name)?.args as Arguments[keyof Arguments] | undefined;
    const { apiVersion: _, kind: __, ...args } = given ?? schema.parse({});
    return [name, args] as const;
  });

let dir: string;
let document: { readonly profiles: readonly unknown[] };
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-scheduler-default-"));
  const text = await readFile(new URL("../../test/data/default-configuration.json", import.meta.url), "utf8");
  document = parseConfigText(text, "f") as typeof document;
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test.each(API_VERSIONS)(
  "a file that sets all defaults of Kubernetes equals a file without fields: %s",
  (apiVersion) => {
    // In that document arguments have the version of the file.
    const versioned = JSON.parse(JSON.stringify(document).replaceAll(API_VERSIONS[0], apiVersion)) as object;
    const [given, empty] = [parse({ ...versioned, apiVersion }), parse({ ...head, apiVersion })];
    const { profiles, ...rest } = given;
    const { profiles: none, ...defaults } = empty;
    expect(rest).toEqual(defaults);
    const [[profile], [fallback]] = [profiles, none] as const;
    if (profile === undefined || fallback === undefined) throw new Error("no profile");
    expect([profiles.length, profile.schedulerName, selectionErrors(profile)]).toEqual([1, "default-scheduler", []]);
    expect(selected(profile)).toEqual(selected(fallback));
    expect(argumentsOf(profile)).toEqual(argumentsOf(fallback));
  },
);

test("fields that are null have their defaults", () => {
  const { apiVersion: _, kind: __, ...fields } = { ...head, ...document };
  expect(parse({ ...head, ...Object.fromEntries(Object.keys(fields).map((name) => [name, null])) })).toEqual(
    parse(head),
  );
  const text = `
apiVersion: ${head.apiVersion}
kind: ${head.kind}
leaderElection: {leaseDuration: null, leaderElect: ~}
clientConnection:
profiles:
  - schedulerName:
    plugins: {filter: null, score: {enabled: null, disabled: [{name: ImageLocality, weight: null}]}}
    pluginConfig:
      - {name: NodeAffinity, args: null}
      - {name: NodeResourcesFit, args: {scoringStrategy: {type: null}}}
extenders:
`;
  const want = {
    profiles: [
      {
        plugins: { score: { disabled: [{ name: "ImageLocality" }] } },
        pluginConfig: [{ name: "NodeAffinity" }, { name: "NodeResourcesFit", args: { scoringStrategy: {} } }],
      },
    ],
  };
  expect(parse(parseConfigText(text, "f"))).toEqual(parse({ ...head, ...want }));
});

test("required fields must not be null, and users' plugins receive null unchanged", () => {
  expect(() => parse({ ...head, apiVersion: null })).toThrow(/field apiVersion: invalid value null/);
  expect(() => parse({ ...head, profiles: [{ pluginConfig: [{ name: null }] }] })).toThrow(/pluginConfig\[0\]\.name/);
  const [profile] = parse({
    ...head,
    profiles: [{ pluginConfig: [{ name: "Mine", module: "/m.ts", args: { a: null } }] }],
  }).profiles;
  expect(profile?.pluginConfig).toEqual([{ name: "Mine", module: "/m.ts", args: { a: null } }]);
});

test("a request limit of null means that there is no limit, and causes no warning", async () => {
  const cluster = { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true };
  const client = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  const [orchconfig, file] = [join(dir, "client"), join(dir, "config")];
  await writeFile(orchconfig, JSON.stringify(client));
  await writeFile(file, JSON.stringify({ ...head, clientConnection: { orchconfig, qps: null, contentType: null } }));
  const program = { name: "orch-scheduler", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, schedulerFlags, [`--config=${file}`]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const { rateLimit, warnings } = await completeConfig(parsed.flags, parsed.explicit);
  expect([rateLimit, warnings]).toEqual([undefined, []]);
});
