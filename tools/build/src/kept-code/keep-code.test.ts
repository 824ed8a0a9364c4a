import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleProgram } from "../bundle/bundle.ts";
import { dist, pinnedNode } from "../paths.ts";
import { type DaemonName, programNamed } from "../programs.ts";
import { keepCode } from "./keep-code.ts";

const NAMES: readonly DaemonName[] = ["orch-apiserver", "orch-scheduler", "orch-controller-manager", "orchlet"];
mkdirSync(dist, { recursive: true });
const dir = mkdtempSync(join(dist, "kept-code-"));
const folderOf = (name: DaemonName): string => join(dir, name);
const codeOf = (name: DaemonName): string => join(folderOf(name), "program.code");
afterAll(() => rmSync(dir, { recursive: true, force: true }));
beforeAll(async () => {
  for (const name of NAMES) await bundleProgram(programNamed(name), folderOf(name));
}, 120_000);

/** Whether a bundle's main module would compile its program, by what the engine says about the code beside it. */
const isUsed = (name: DaemonName, options: readonly string[] = []): boolean => {
  const check = `
    const { readFileSync } = require("node:fs");
    const { Script } = require("node:vm");
    const [program, code] = process.argv.slice(1).map((file) => readFileSync(file));
    const script = new Script(program.toString("latin1"), { cachedData: code.subarray(8) });
    process.exit(script.cachedDataRejected ? 1 : 0);`;
  const files = [join(folderOf(name), "program.cjs"), codeOf(name)];
  return spawnSync(pinnedNode, [...options, "-e", check, ...files]).status === 0;
};

test("the bundles of all daemons but the cloud provider's get their compiled code, which other flags of the engine reject", async () => {
  expect(await keepCode(NAMES, { folderOf })).toEqual(NAMES);
  // What the modules compile when they are loaded is less than a third of it.
  for (const name of NAMES) expect([statSync(codeOf(name)).size > 1e6, isUsed(name)]).toEqual([true, true]);
  // The images' and packages' users of the daemons are not the one that builds.
  for (const name of NAMES) expect(statSync(codeOf(name)).mode & 0o777).toBe(0o644);
  expect(isUsed("orch-scheduler", ["--max-lazy"])).toBe(false);
}, 120_000);

test("a daemon that does not start gets none, and neither do those that need it", async () => {
  rmSync(codeOf("orch-scheduler"), { force: true });
  writeFileSync(join(folderOf("orch-apiserver"), "main.mjs"), "process.exitCode = 1;");
  expect(await keepCode(["orch-scheduler"], { folderOf })).toEqual([]);
  expect(existsSync(codeOf("orch-scheduler"))).toBe(false);
}, 120_000);
