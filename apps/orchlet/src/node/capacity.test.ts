import { expect, test } from "vitest";
import { allocatableOf, capacityOf, type Reservations, thresholdBytes } from "./capacity.ts";
import type { MachineInfo } from "./machine-info.ts";

const gibibyte = 1024 ** 3;

const machine: MachineInfo = {
  cpus: 4,
  memoryBytes: 8 * gibibyte,
  storageBytes: 100 * gibibyte,
  hugePages: new Map(),
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  architecture: "amd64",
  operatingSystem: "linux",
};

const none: Reservations = {
  maxPods: 110,
  podsPerCore: 0,
  systemReserved: {},
  orchReserved: {},
  evictionHard: {},
  reservedSystemCPUs: "",
};

// shows: maxPods, podsPerCore
test.each([
  ["the maximum", { maxPods: 110, podsPerCore: 0 }, "110"],
  ["a maximum per CPU below it", { maxPods: 110, podsPerCore: 10 }, "40"],
  ["a maximum per CPU above it", { maxPods: 30, podsPerCore: 10 }, "30"],
])("the capacity for pods with %s", (_, limits, pods) => {
  expect(capacityOf(machine, limits)).toMatchObject({ cpu: "4", memory: "8388608Ki", pods });
});

// shows: systemReserved, orchReserved, reservedSystemCPUs, evictionHard
test.each<[string, Partial<Reservations>, Record<string, string>]>([
  ["nothing reserved", {}, { cpu: "4", memory: "8388608Ki", "ephemeral-storage": String(100 * gibibyte) }],
  [
    "both reservations, which add up",
    { systemReserved: { cpu: "500m" }, orchReserved: { cpu: "1" } },
    { cpu: "2500m" },
  ],
  ["reserved CPUs instead of an amount", { systemReserved: { cpu: "3" }, reservedSystemCPUs: "0-1,1" }, { cpu: "2" }],
  ["an eviction threshold in bytes", { evictionHard: { "memory.available": "1Gi" } }, { memory: "7340032Ki" }],
  ["an eviction threshold in percent", { evictionHard: { "memory.available": "25%" } }, { memory: "6291456Ki" }],
  ["no multiple of 1024 bytes reserved", { systemReserved: { memory: "1M" } }, { memory: "8588934592" }],
  ["more reserved than there is", { systemReserved: { cpu: "9", memory: "9Gi" } }, { cpu: "0", memory: "0Ki" }],
])("allocatable resources with %s", (_, reservations, want) => {
  expect(allocatableOf(machine, { ...none, ...reservations })).toMatchObject(want);
});

// shows: localStorageCapacityIsolation
test("without isolation of local storage, the node has no ephemeral-storage", () => {
  const reservations = { ...none, localStorageCapacityIsolation: false };
  expect(capacityOf(machine, reservations)).not.toHaveProperty("ephemeral-storage");
  expect(allocatableOf(machine, reservations)).not.toHaveProperty("ephemeral-storage");
  expect(capacityOf(machine, none)).toHaveProperty("ephemeral-storage", "104857600Ki");
});

test("a percentage has single precision, as in the kubelet", () => {
  expect(thresholdBytes("10%", 100 * gibibyte)).toBe(10737418400);
});

test("huge pages do not count as allocatable memory", () => {
  const withPages = { ...machine, hugePages: new Map([["2Mi", 2 * gibibyte]]) };
  expect(allocatableOf(withPages, none)).toMatchObject({ memory: "6291456Ki", "hugepages-2Mi": "2Gi" });
});

test.each([
  [undefined, 0],
  ["100", 100],
  ["1Ki", 1024],
  ["10%", 100],
  ["12.5%", 125],
  ["0%", 0],
  ["100%", 0],
  ["100.0%", 1000],
])("the threshold %s of 1000 is %i", (text, want) => {
  expect(thresholdBytes(text, 1000)).toBe(want);
});
