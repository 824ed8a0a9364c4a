import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { randomCluster } from "../testing/random/random-cluster.ts";
import { runCommand } from "./run-command.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-commands-"));
const config = join(dir, "config");
writeFileSync(
  config,
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  }),
);
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Starts a scheduler that answers like this. */
async function pretend(answer: RequestListener): Promise<string> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => void started.listen(0, "127.0.0.1", resolve));
  return `--server=http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

async function run(...args: string[]): Promise<readonly [code: number, errors: string]> {
  let errors = "";
  const say = (text: string) => {
    errors += text;
  };
  return [await runCommand(args, { print: () => undefined, say }), errors];
}

const explain = (at: string, ...more: string[]) => run("explain", "a/b", `--orchconfig=${config}`, at, ...more);

test("a scheduler that is not running is reported as an error", async () => {
  expect(await explain("--server=https://127.0.0.1:1")).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
});

test.each<[string, string]>([
  ["nonsense", "not JSON"],
  ["another object", '{"kind":"Status"}'],
  ["nothing", ""],
])("a response that is %s is reported as an error", async (_, text) => {
  const at = await pretend((__, response) => void response.end(text));
  expect(await explain(at)).toEqual([1, expect.stringContaining("found no explanation")]);
});

test("an endless response is reported as an error", async () => {
  const block = Buffer.alloc(1024 * 1024, " ");
  const at = await pretend((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(block));
      response.once("drain", more);
    };
    more();
  });
  expect(await explain(at)).toEqual([1, expect.stringContaining("more than")]);
});

test("a scheduler that does not respond in time is reported as an error", async () => {
  const at = await pretend(() => undefined);
  expect(await explain(at, "--timeout=0.2")).toEqual([1, expect.stringMatching(/no response within|timeout/)]);
});

test("an incomplete snapshot leaves no file behind", async () => {
  const out = join(dir, "snapshot");
  const at = await pretend((_, response) => {
    response.write("{");
    setTimeout(() => response.destroy(), 20);
  });
  const [code] = await run("snapshot", `--orchconfig=${config}`, at, `--out=${out}`);
  expect([code, existsSync(out)]).toEqual([1, false]);
});

test.each<[string, string[], string]>([
  ["no pod", ["explain"], "Not enough non-option arguments"],
  ["an unknown option", ["explain", "a/b", "--nope"], "nope"],
  ["an option twice", ["explain", "a/b", "--from=x", "--from=y"], "--from: specified twice; want it once"],
  ["no such file", ["explain", "a/b", "--from=/nowhere"], "ENOENT"],
  ["no time", ["explain", "a/b", `--orchconfig=${config}`, "--timeout=0"], "--timeout"],
  ["no number of nodes", ["simulate", "--from=/nowhere", "--add-nodes=1.5"], "ENOENT"],
])("%s is an error", async (_, args, want) => {
  expect(await run(...args)).toEqual([1, expect.stringContaining(want)]);
});

const snapshot = JSON.stringify(randomCluster(1));
/** The snapshot with other values at a path. */
function damaged(path: string, value: unknown): string {
  const changed = JSON.parse(snapshot) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let at = changed;
  for (const key of keys) at = at[key] as typeof at;
  at[last] = value;
  return JSON.stringify(changed);
}

const { namespace, name } = randomCluster(1).pending[0]?.metadata ?? {};

test("the snapshot is valid before it is damaged", async () => {
  const file = join(dir, "valid");
  writeFileSync(file, snapshot);
  expect(await run("explain", `${namespace}/${name}`, `--from=${file}`)).toEqual([0, ""]);
  expect(await run("simulate", `--from=${file}`)).toEqual([0, ""]);
});

test.each<[string, string, string]>([
  ["something else", "[]", "not a snapshot of this version"],
  ["another version", '{"kind":"SchedulerSnapshot","version":99}', "found version 99 of the format; want "],
  [
    "another version in another form",
    '{"kind":"SchedulerSnapshot","version":{}}',
    "not a snapshot of this version: version: ",
  ],
  ["a part of the text", snapshot.slice(0, -100), "found an incomplete or damaged file"],
  ["no JSON", "kind: SchedulerSnapshot", "want the JSON that `orch-scheduler snapshot` writes"],
  ...(
    [
      ["pending.0.spec.tolerations", 1],
      ["pending.0.spec.containers", [null]],
      ["pending.0.spec.affinity", { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [[]] } }],
      ["pending.0.spec.affinity", { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } }],
      ["pending.0.spec.topologySpreadConstraints", [{}]],
      ["placed.0.pod.spec.schedulingGates", {}],
      ["placed.0.pod.metadata.labels", { a: 1 }],
      ["nodes.0.status.allocatable", null],
      ["nodes.0.status.images", [{ names: {} }]],
      ["nodes.0.spec.taints", [[]]],
    ] as const
  ).map(([path, value]): [string, string, string] => [
    `${JSON.stringify(value)} at ${path}`,
    damaged(path, value),
    `not a snapshot of this version: ${path}`,
  ]),
  ["an invalid amount", damaged("nodes.0.status.allocatable.cpu", "many"), "cannot restore the snapshot: "],
])("a file with %s is not a snapshot", async (_, text, want) => {
  const file = join(dir, "other");
  writeFileSync(file, text);
  const error = [1, expect.stringContaining(`orch-scheduler: ${file}: ${want}`)];
  expect(await run("explain", `${namespace}/${name}`, `--from=${file}`)).toEqual(error);
  expect(await run("simulate", `--from=${file}`)).toEqual(error);
});
