import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { profileConfigOf } from "../testing/profiles.ts";
import { loadKnownPlugins } from "./known-plugins.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-known-plugins-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

declare global {
  /** Names of the modules that were run. */
  var modulesRun: string[];
}
beforeEach(() => {
  globalThis.modulesRun = [];
});

let count = 0;
/** A module of plugin P that takes any arguments and says that it was run. */
function module(name: string): string {
  const path = join(dir, `${name}-${count++}.mjs`);
  writeFileSync(
    path,
    `globalThis.modulesRun.push(${JSON.stringify(name)});
    export default { name: "P", points: ["postBind"], args: (z) => z.looseObject({}), create: () => ({ name: "P", postBind() {} }) };`,
    { mode: 0o600 },
  );
  return path;
}

const profile = (path: string, args: object, schedulerName = "blue") => ({
  schedulerName,
  pluginConfig: [{ name: "P", module: path, args }],
  plugins: { multiPoint: { enabled: [{ name: "P" }] } },
});

function configuration(...profiles: object[]): string {
  const file = join(dir, `config-${count++}.yaml`);
  const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
  writeFileSync(file, JSON.stringify({ ...head, profiles }));
  return file;
}

/** Loads the plugins of a snapshot that names a module of its own. */
const load = (config: string | undefined, args: object = { a: [1] }) =>
  loadKnownPlugins([profileConfigOf(profile(module("snapshot"), args))], config);

test("modules that only a snapshot names are not loaded", async () => {
  const { plugins, leftOut } = await load(undefined);
  expect([plugins.size, leftOut, globalThis.modulesRun]).toEqual([0, ["plugin P of profile blue"], []]);
});

test("a plugin is loaded from the module that the configuration names, whatever its path was in the cluster", async () => {
  const { plugins, leftOut } = await load(configuration(profile(module("own"), { a: [1] })));
  expect(plugins.get("blue")?.map(({ name }) => name)).toEqual(["P"]);
  expect([leftOut, globalThis.modulesRun]).toEqual([[], ["own"]]);
});

test("a profile does not have the plugins of other profiles", async () => {
  const { leftOut } = await load(configuration(profile(module("own"), { a: [1] }, "red")));
  expect([leftOut, globalThis.modulesRun]).toEqual([["plugin P of profile blue"], []]);
});

test("a snapshot cannot choose the arguments of a plugin", async () => {
  await expect(load(configuration(profile(module("own"), { a: [2] })))).rejects.toThrow(
    "plugin P: want the arguments of the snapshot",
  );
  expect(globalThis.modulesRun).toEqual([]);
});

test.each<[string, () => string]>([
  ["not a configuration", () => configuration({ schedulerName: 5 })],
  ["of a module that cannot be loaded", () => configuration(profile(join(dir, "none.mjs"), { a: [1] }))],
  [
    "enormous",
    () => {
      const file = join(dir, "enormous.yaml");
      writeFileSync(file, " ".repeat(4 * 1024 * 1024));
      return file;
    },
  ],
  ["absent", () => join(dir, "absent.yaml")],
])("a configuration that is %s is an error", async (_, file) => {
  await expect(load(file())).rejects.toThrow();
});
