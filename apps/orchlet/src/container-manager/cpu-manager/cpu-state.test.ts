import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CpuSet } from "../topology/cpu-set.ts";
import { CpuState } from "./cpu-state.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-cpu-state-"));
  path = join(dir, "cpu_manager_state");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("the file of a new node is that of the kubelet, with its checksum", () => {
  CpuState.open(path, "none");
  expect(readFileSync(path, "utf8")).toBe('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}');
});

test.each([
  ['{"policyName":"none","defaultCpuSet":"4-6","entries":{},"checksum":354655845}', "4-6", {}],
  [
    '{"policyName":"none","defaultCpuSet":"1-3","entries":{"pod":{"container1":"4-6","container2":"1-3"}},"checksum":3610638499}',
    "1-3",
    { container1: "4-6", container2: "1-3" },
  ],
])("a file of the kubelet is read: %s", (text, shared, ofPod) => {
  writeFileSync(path, text);
  const state = CpuState.open(path, "none");
  expect(String(state.shared)).toBe(shared);
  const assigned = [...(state.assignments.get("pod") ?? [])].map(([name, cpus]) => [name, String(cpus)]);
  expect(Object.fromEntries(assigned)).toEqual(ofPod);
});

test("assignments survive a restart until they are released", () => {
  const state = CpuState.open(path, "static");
  state.share(CpuSet.parse("0-7"));
  state.assign("u1", "a", CpuSet.parse("2-3"));
  state.assign("u1", "b", CpuSet.parse("4"));
  const again = CpuState.open(path, "static");
  expect([String(again.shared), String(again.of("u1", "a")), String(again.of("u1", "b"))]).toEqual([
    "0-1,5-7",
    "2-3",
    "4",
  ]);
  again.release("u1");
  again.release("u1");
  expect([String(again.shared), again.assignments.size]).toEqual(["0-7", 0]);
  expect(String(CpuState.open(path, "static").shared)).toBe("0-7");
});

test("a change that cannot be written has no effect", () => {
  const state = CpuState.open(path, "static");
  state.share(CpuSet.parse("0-3"));
  rmSync(dir, { recursive: true });
  expect(() => state.assign("u1", "a", CpuSet.parse("1"))).toThrow("ENOENT");
  expect([String(state.shared), state.of("u1", "a")]).toEqual(["0-3", undefined]);
});

test.each([
  [
    "another policy",
    '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
    "differs from state checkpoint policy",
  ],
  ["a wrong checksum", '{"policyName":"static","defaultCpuSet":"0","checksum":1}', "checkpoint is corrupted"],
  ["nonsense", "{", "please drain this node and delete the CPU manager checkpoint file"],
  ["no object", "[]", "want a JSON object"],
  ["a wrong field", '{"policyName":"static","defaultCpuSet":3,"checksum":0}', "checkpoint is corrupted"],
  ["a wrong entry", '{"policyName":"static","defaultCpuSet":"0","entries":{"u":"1"},"checksum":0}', "corrupted"],
  ["nothing in it", "", "could not restore state from checkpoint"],
  ["half of its text", '{"policyName":"static","defaultCpu', "could not restore state from checkpoint"],
  ["a wrong policy", '{"policyName":7,"defaultCpuSet":"","checksum":0}', "checkpoint is corrupted"],
  ["deep nesting", `{"policyName":${"[".repeat(1_000_000)}`, "could not restore state from checkpoint"],
  ["17 MiB", "x".repeat(17 * 1024 * 1024), "want a file of at most 16777216 bytes"],
  [
    "a set that repeats its CPUs millions of times",
    JSON.stringify({ policyName: "static", defaultCpuSet: Array(1_000_000).fill("0-65535").join(), checksum: 0 }),
    "want one such as 0-3,7",
  ],
  ["a wrong set", '{"policyName":"static","defaultCpuSet":"x","checksum":0}', "want one such as 0-3,7"],
])("a file with %s is rejected", (_, text, message) => {
  writeFileSync(path, text);
  expect(() => CpuState.open(path, "static")).toThrow(message);
});

test.each<[string, () => void]>([
  ["folder", () => mkdirSync(path)],
  ["FIFO", () => void execFileSync("mkfifo", [path])],
])("a %s in place of the file is rejected, and does not block the process", (_, create) => {
  create();
  expect(() => CpuState.open(path, "static")).toThrow("is not a regular file");
});
