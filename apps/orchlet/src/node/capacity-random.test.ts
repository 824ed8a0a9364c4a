import { quantityOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podsGroupResources, validateNodeAllocatable } from "../container-manager/node-allocatable.ts";
import { allocatableOf, capacityOf } from "./capacity.ts";
import type { MachineInfo } from "./machine-info.ts";

const nodes = 1000;

type Numbers = (bound: number) => number;

const kibi = 1024;
const mebi = 1024 * kibi;
const gibi = 1024 * mebi;
const units: Readonly<Record<string, number>> = { "": 1, k: 1000, M: 1e6, Ki: kibi, Mi: mebi, Gi: gibi };

/** An amount, and how a configuration writes it. */
interface Amount {
  readonly value: number;
  readonly text: string;
}

function bytes(below: Numbers): Amount {
  const unit = Object.keys(units)[below(6)] ?? "";
  const number = below(unit === "Gi" ? 6 : 3000);
  return { value: number * (units[unit] ?? 1), text: `${number}${unit}` };
}

const milli = (below: Numbers): Amount => {
  const value = below(5000);
  return value % 1000 === 0 && below(2) === 0 ? { value, text: `${value / 1000}` } : { value, text: `${value}m` };
};

/** Reservations by chance. */
const reserved = (below: Numbers) => ({
  ...(below(2) === 0 && { cpu: milli(below) }),
  ...(below(2) === 0 && { memory: bytes(below) }),
  ...(below(2) === 0 && { "ephemeral-storage": bytes(below) }),
  ...(below(2) === 0 && { pid: { value: below(400), text: "" } }),
});
type Reserved = ReturnType<typeof reserved>;
const textsOf = (list: Reserved): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(list).map(([name, { value, text }]) => [name, text || String(value)]));

/** A hard eviction threshold by chance: how it is written, and how many bytes of a capacity it keeps. */
function threshold(below: Numbers): { readonly text: string; readonly of: (total: number) => number } {
  if (below(2) === 0) {
    const { value, text } = bytes(below);
    return { text, of: () => value };
  }
  const percent = below(8) === 0 ? 100 * below(2) : below(1000) / 10;
  const isOff = percent === 0 || percent === 100;
  // The original's percentages have single precision.
  const share = Math.fround(Math.fround(percent) / 100);
  return { text: `${percent}%`, of: (total) => (isOff ? 0 : Math.trunc(total * share)) };
}

function machine(below: Numbers): MachineInfo {
  const hugePages = new Map([
    ...(below(3) === 0 ? [["2Mi", below(1024) * 2 * mebi] as const] : []),
    ...(below(4) === 0 ? [["1Gi", below(4) * gibi] as const] : []),
  ]);
  const rest = { machineID: "", systemUUID: "", bootID: "", kernelVersion: "", osImage: "" };
  return {
    ...{ cpus: 1 + below(8), memoryBytes: (1 + below(16 * 1024 * 1024)) * kibi, hugePages },
    ...{ storageBytes: (1 + below(30_000_000)) * 4 * kibi, architecture: "amd64", operatingSystem: "linux" },
    ...rest,
  };
}

/** What is left of an amount, which is never less than nothing. */
const left = (total: number, ...taken: readonly (number | undefined)[]): number =>
  Math.max(
    0,
    taken.reduce<number>((rest, one) => rest - (one ?? 0), total),
  );

test(`allocatable resources and the group of all pods are those of the original on ${nodes} random nodes`, () => {
  const below = seededNumbers(53);
  const seen = { invalid: 0, full: 0, huge: 0 };
  for (let n = 0; n < nodes; n++) {
    const host = machine(below);
    const [system, own] = [reserved(below), reserved(below)];
    const [memory, disk] = [below(3) > 0 ? threshold(below) : undefined, below(3) > 0 ? threshold(below) : undefined];
    const evictionHard = {
      ...(memory && { "memory.available": memory.text }),
      ...(disk && { "nodefs.available": disk.text }),
      // Other signals reserve nothing.
      ...(below(3) === 0 && { "imagefs.available": "15%", "nodefs.inodesFree": "5%", "pid.available": "10%" }),
    };
    const reservations = { systemReserved: textsOf(system), orchReserved: textsOf(own), evictionHard };
    const limits = { maxPods: 1 + below(200), podsPerCore: below(2) * below(20), reservedSystemCPUs: "" };
    const allocatable = allocatableOf(host, { ...reservations, ...limits });
    const capacity = capacityOf(host, limits);
    const huge = [...host.hugePages.values()].reduce((sum, one) => sum + one, 0);
    const kept = { memory: memory?.of(host.memoryBytes) ?? 0, disk: disk?.of(host.storageBytes) ?? 0 };
    const want = {
      cpu: left(host.cpus * 1000, system.cpu?.value, own.cpu?.value),
      // Huge pages are taken of what is left, after it was raised to nothing.
      memory: left(left(host.memoryBytes, system.memory?.value, own.memory?.value, kept.memory), huge),
      storage: left(host.storageBytes, system["ephemeral-storage"]?.value, own["ephemeral-storage"]?.value, kept.disk),
      pods: limits.podsPerCore > 0 ? Math.min(limits.maxPods, limits.podsPerCore * host.cpus) : limits.maxPods,
      huge,
    };
    const maxTasks = below(1000);
    const enforced = below(2) === 0;
    const group = podsGroupResources({ capacity, maxTasks, ...reservations }, enforced);
    const of = (name: "cpu" | "memory" | "pid", total: number) =>
      enforced ? left(total, system[name]?.value, own[name]?.value) : total;
    const shares = Math.trunc((of("cpu", host.cpus * 1000) * 1024) / 1000);
    const wantGroup = {
      // The kernel's bounds.
      shares: Math.min(262_144, Math.max(2, shares)),
      memory: of("memory", host.memoryBytes),
      pids: Math.max(1, of("pid", maxTasks)),
      huge,
    };
    const isTooMuch =
      (system.cpu?.value ?? 0) + (own.cpu?.value ?? 0) > host.cpus * 1000 ||
      (system.memory?.value ?? 0) + (own.memory?.value ?? 0) + kept.memory > host.memoryBytes ||
      (system["ephemeral-storage"]?.value ?? 0) + (own["ephemeral-storage"]?.value ?? 0) + kept.disk >
        host.storageBytes;
    let isInvalid = false;
    try {
      validateNodeAllocatable({ capacity, maxTasks, ...reservations }, evictionHard);
    } catch {
      isInvalid = true;
    }
    const bytesOf = (name: string) => wholeValueOf(allocatable[name] ?? "0");
    const result = {
      node: {
        cpu: Number(quantityOf(allocatable.cpu ?? "0").nanos / 1_000_000n),
        memory: bytesOf("memory"),
        storage: bytesOf("ephemeral-storage"),
        pods: Number(allocatable.pods),
        huge: bytesOf("hugepages-2Mi") + bytesOf("hugepages-1Gi"),
      },
      group: {
        shares: group.cpuShares,
        memory: group.memoryBytes,
        pids: group.pids,
        huge: [...(group.hugePages ?? new Map<string, number>()).values()].reduce((sum, one) => sum + one, 0),
      },
      isInvalid,
    };
    const wanted = { node: want, group: wantGroup, isInvalid: isTooMuch };
    seen.invalid += Number(isTooMuch);
    seen.full += Number(want.memory === 0);
    seen.huge += Number(huge > 0);
    if (JSON.stringify(result) === JSON.stringify(wanted)) continue;
    expect(result, JSON.stringify({ n, host, reservations, limits, enforced, maxTasks })).toEqual(wanted);
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(nodes / 50);
});
