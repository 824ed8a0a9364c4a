import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { node, pod } from "@orchernetes/testkit";
import { afterAll, expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { schedulePod } from "../framework/schedule-pod.ts";
import { createProfile } from "../profile/create-profile.ts";
import { handleOf, profileConfigOf } from "../testing/profiles.ts";
import { tableOf } from "../testing/tables.ts";
import { loadUserPlugins } from "./user-plugins.ts";

const dir = mkdtempSync(join(tmpdir(), "scheduler-plugins-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  chmodSync(path, 0o644);
  return path;
}

const example = join(import.meta.dirname, "../../../../docs/examples/scheduler-plugins/quiet-hours.ts");
const configOf = (module: string, args?: unknown, name = "QuietHours") =>
  profileConfigOf({
    pluginConfig: [{ name, module, ...(args !== undefined && { args }) }],
    plugins: { multiPoint: { enabled: [{ name }] } },
  });
const load = (...given: Parameters<typeof configOf>) => loadUserPlugins(configOf(...given));

test("a module's plugin acts at the points that it names, with its checked arguments", async () => {
  const config = configOf(example, { team: "blue" });
  const { plugins, errors } = await loadUserPlugins(config);
  expect(errors).toEqual([]);
  const profile = createProfile(config, 0, handleOf(), plugins);
  expect(profile.permits.map(({ name }) => name)).toEqual(["QuietHours"]);
  expect(profile.scores.at(-1)).toMatchObject({ weight: 1 });
  const table = tableOf([
    node("a").capacity({ cpu: "4", memory: "8Gi", pods: "10" }),
    node("b").capacity({ cpu: "4", memory: "8Gi", pods: "10" }).labels({ "example.com/team": "blue" }),
  ]);
  const decide = (team: string) =>
    schedulePod(podInfo(pod("p").labels({ "example.com/team": team }).build()), table, profile, {
      start: 0,
      random: () => 0,
    });
  expect(decide("blue")).toMatchObject({ type: "node", slot: 1, feasible: 1 });
  expect(decide("red")).toMatchObject({ type: "node", feasible: 2 });
  table.removeNode("b");
  expect(decide("blue")).toMatchObject({
    message: "0/1 nodes are available: 1 node(s) were not reserved for team blue.",
  });
});

test("the schema of a module reports every error in the arguments, each with its location", async () => {
  expect((await load(example, { team: "", from: 30, colour: "blue" })).errors).toEqual([
    expect.stringMatching(/^pluginConfig\[0\]\.args\.team: /),
    expect.stringMatching(/^pluginConfig\[0\]\.args\.from: /),
    expect.stringMatching(/^pluginConfig\[0\]\.args: .*colour/),
  ]);
});

const plain = "export default { name: 'Plain', points: ['filter'], create: () => ({ name: 'Plain' }) };";
test.each<[string, () => ReturnType<typeof load>, string]>([
  [
    "with a relative path",
    () => load("./plugin.ts"),
    'pluginConfig[0].module: invalid value "./plugin.ts"; want the absolute path',
  ],
  ["that is absent", () => load(join(dir, "gone.ts")), "cannot be loaded: ENOENT"],
  ["without this plugin", () => load(file("plain.ts", plain)), 'has no plugin "QuietHours"; want a default export'],
  [
    "with an unknown point",
    () => load(file("odd.ts", plain.replace("filter", "sieve")), {}, "Plain"),
    'has no plugin "Plain"',
  ],
  [
    "named like one of the scheduler",
    () => load(example, {}, "NodeName"),
    'name: a plugin named "NodeName" already exists',
  ],
  [
    "that takes no arguments",
    () => load(file("plain.ts", plain), { a: 1 }, "Plain"),
    ".args: want none: the plugin takes no arguments",
  ],
])("a module %s is an error", async (_, loading, message) => {
  expect((await loading()).errors).toEqual([expect.stringContaining(message)]);
});

test("a module that other users could change is not loaded", async () => {
  const path = file("open.ts", plain);
  chmodSync(path, 0o666);
  expect((await load(path, undefined, "Plain")).errors).toEqual([
    expect.stringContaining("can be changed by other users"),
  ]);
});

test("a plugin that lacks a method of its extension points is not created", async () => {
  const config = configOf(file("plain.ts", plain), undefined, "Plain");
  const { plugins } = await loadUserPlugins(config);
  expect(() => createProfile(config, 0, handleOf(), plugins)).toThrow(
    'plugin "Plain" lacks the methods of extension point filter',
  );
});
