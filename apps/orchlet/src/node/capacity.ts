import { milliValueOf, Quantity, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { MachineInfo } from "./machine-info.ts";

/** Amounts of resources by name, as quantities of the API. */
export type ResourceList = Readonly<Record<string, string>>;

/** Settings that determine the node's capacity and allocatable resources. */
export interface Reservations {
  readonly maxPods: number;
  readonly podsPerCore: number;
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly orchReserved: Readonly<Record<string, string>>;
  readonly evictionHard: Readonly<Record<string, string>>;
  /**
   * CPUs reserved for the system, as a list such as `0-1,4`; "" for none. If set, it replaces the reserved amounts of
   * CPU.
   */
  readonly reservedSystemCPUs: string;
  /** Whether the node has `ephemeral-storage`, which pods can request and limit. @default true */
  readonly localStorageCapacityIsolation?: boolean;
}

/** The node's `status.capacity`: the resources of the machine, and the maximum number of pods. */
export function capacityOf(
  machine: MachineInfo,
  reservations: Pick<Reservations, "maxPods" | "podsPerCore" | "localStorageCapacityIsolation">,
): ResourceList {
  const { maxPods, podsPerCore, localStorageCapacityIsolation = true } = reservations;
  const pods = podsPerCore > 0 ? Math.min(maxPods, podsPerCore * machine.cpus) : maxPods;
  return {
    cpu: String(machine.cpus),
    ...(localStorageCapacityIsolation && { "ephemeral-storage": kibibytes(machine.storageBytes) }),
    ...Object.fromEntries([...machine.hugePages].map(([size, bytes]) => [`hugepages-${size}`, binary(bytes)])),
    memory: kibibytes(machine.memoryBytes),
    pods: String(pods),
  };
}

/**
 * The node's `status.allocatable`, by which pods are scheduled: the capacity minus the reservations and the hard
 * eviction thresholds. Without the latter, a full node would evict pods. Source: "Reserve Compute Resources for System
 * Daemons".
 */
export function allocatableOf(machine: MachineInfo, reservations: Reservations): ResourceList {
  const capacity = capacityOf(machine, reservations);
  const { systemReserved, orchReserved, evictionHard, reservedSystemCPUs } = reservations;
  const reserved = (name: string) => [systemReserved[name], orchReserved[name]].filter((text) => text !== undefined);
  const reservedMilli =
    reservedSystemCPUs === ""
      ? reserved("cpu").reduce((sum, text) => sum + milliValueOf(text), 0)
      : countCpus(reservedSystemCPUs) * 1000;
  const milliCpu = Math.max(0, machine.cpus * 1000 - reservedMilli);
  const left = (name: string, total: number) =>
    Math.max(
      0,
      total -
        reserved(name).reduce((sum, text) => sum + wholeValueOf(text), 0) -
        hardEvictionBytes(name, total, evictionHard),
    );
  // Huge pages are set aside at boot and cannot be used as ordinary memory.
  const hugeBytes = [...machine.hugePages.values()].reduce((sum, bytes) => sum + bytes, 0);
  return {
    ...capacity,
    cpu: milliCpu % 1000 === 0 ? String(milliCpu / 1000) : `${milliCpu}m`,
    memory: exact(Math.max(0, left("memory", machine.memoryBytes) - hugeBytes)),
    ...(capacity["ephemeral-storage"] !== undefined && {
      "ephemeral-storage": String(left("ephemeral-storage", machine.storageBytes)),
    }),
  };
}

/** The signal whose hard threshold keeps some of a resource from pods. */
const signals: Readonly<Record<string, string>> = {
  memory: "memory.available",
  "ephemeral-storage": "nodefs.available",
};

/** How much of a resource pods cannot use, because they would be evicted before; in bytes. */
export function hardEvictionBytes(name: string, total: number, evictionHard: Readonly<Record<string, string>>): number {
  const signal = signals[name];
  return signal === undefined ? 0 : thresholdBytes(evictionHard[signal], total);
}

/**
 * A threshold in bytes, from a quantity or a percentage of the total such as `10%`. 0 % and 100 % disable it, giving 0.
 */
export function thresholdBytes(text: string | undefined, total: number): number {
  return text === undefined || isDisabled(text) ? 0 : amountBytes(text, total);
}

/** Whether a threshold is disabled. As in the original, only these spellings disable it. */
export const isDisabled = (threshold: string): boolean => threshold === "0%" || threshold === "100%";

/** A quantity, or a percentage of the total, in bytes. */
export function amountBytes(text: string, total: number): number {
  if (!text.endsWith("%")) return wholeValueOf(text);
  // In single precision, as in the original, so that both evict and reserve at the same byte.
  return Math.floor(total * Math.fround(Math.fround(Number(text.slice(0, -1))) / 100));
}

/** Number of CPUs in a list such as `0-1,4`, without duplicates. */
export function countCpus(list: string): number {
  const cpus = new Set<number>();
  for (const part of list.split(",")) {
    const [, from, to] = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part) ?? [];
    if (from === undefined) continue;
    for (let cpu = Number(from); cpu <= Number(to ?? from); cpu++) cpus.add(cpu);
  }
  return cpus.size;
}

const kibibytes = (bytes: number): string => `${Math.floor(bytes / 1024)}Ki`;
const exact = (bytes: number): string => (bytes % 1024 === 0 ? kibibytes(bytes) : String(bytes));
const binary = (bytes: number): string => (bytes === 0 ? "0" : Quantity.of(bytes, "BinarySI").toString());
