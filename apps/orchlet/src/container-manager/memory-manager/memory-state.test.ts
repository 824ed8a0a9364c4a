import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MemoryState } from "./memory-state.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-memory-state-"));
  path = join(dir, "memory_manager_state");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The example of the original, whose checksum its tests name. */
const original =
  '{"policyName":"static","machineState":{"0":{"numberOfAssignments":0,"memoryMap":{"memory":{"total":2048,"systemReserved":512,"allocatable":1536,"reserved":512,"free":1024}},"cells":[]}},"entries":{"pod":{"container1":[{"numaAffinity":[0],"type":"memory","size":512}]}},"checksum":4215593881}';

test("the file of a new node is that of the kubelet, with its checksum", () => {
  MemoryState.open(path, "None");
  expect(readFileSync(path, "utf8")).toBe('{"policyName":"None","machineState":{},"checksum":4236770233}');
});

test("a file of the kubelet is read, and written in the same form", () => {
  writeFileSync(path, original);
  const state = MemoryState.open(path, "static");
  expect(state.of("pod", "container1")).toEqual([{ nodes: [0], kind: "memory", bytes: 512 }]);
  expect(state.content.machine.get(0)?.memory.get("memory")?.free).toBe(1024);
  state.change(state.content);
  expect(readFileSync(path, "utf8")).toBe(original);
});

test("a change that cannot be written has no effect", () => {
  writeFileSync(path, original);
  const state = MemoryState.open(path, "static");
  rmSync(dir, { recursive: true });
  expect(() => state.change({ machine: new Map(), assignments: new Map() })).toThrow("ENOENT");
  expect(state.content.machine.size).toBe(1);
});

test.each([
  [
    "another policy",
    original.replace("static", "None").replace("4215593881", "0"),
    "differs from state checkpoint policy",
  ],
  ["a wrong checksum", original.replace("4215593881", "1"), "checkpoint is corrupted"],
  ["nonsense", "{", "please drain this node and delete the memory manager checkpoint file"],
  ["nothing in it", "", "could not restore state from checkpoint"],
  ["half of its text", original.slice(0, 100), "could not restore state from checkpoint"],
  ["deep nesting", `{"machineState":${"[".repeat(1_000_000)}`, "could not restore state from checkpoint"],
  ["17 MiB", "x".repeat(17 * 1024 * 1024), "want a file of at most 16777216 bytes"],
  ["no machine", '{"policyName":"static","checksum":0}', "checkpoint is corrupted"],
  ["a negative amount", original.replace('"free":1024', '"free":-1').replace("4215593881", "0"), "corrupted"],
  ["a wrong entry", original.replace('"size":512', '"size":"x"').replace("4215593881", "0"), "corrupted"],
  ["a wrong node", original.replace('"0":{', '"x":{').replace("4215593881", "0"), "corrupted"],
])("a file with %s is rejected", (_, text, message) => {
  writeFileSync(path, text);
  expect(() => MemoryState.open(path, "static")).toThrow(message);
});
