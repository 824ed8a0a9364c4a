import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import { hardEvictionBytes, type ResourceList } from "../node/capacity.ts";
import type { CgroupManager } from "./cgroups/cgroup-manager.ts";
import type { CgroupName } from "./cgroups/cgroup-name.ts";
import { type CgroupResources, cpuShares, kernelPageSize } from "./cgroups/cgroup-resources.ts";

type Reserved = Readonly<Record<string, string>>;

/** The capacity of the node, and its reservations. */
export interface NodeResources {
  /** As in the node's status. */
  readonly capacity: ResourceList;
  /** How many processes and threads the kernel allows; undefined if that is not known. */
  readonly maxTasks: number | undefined;
  readonly systemReserved: Reserved;
  readonly orchReserved: Reserved;
}

const reservable = ["cpu", "memory", "ephemeral-storage"] as const;

/**
 * Checks that no more is reserved, together with the hard eviction thresholds, than there is.
 *
 * @throws Error with every resource whose reservations exceed the capacity
 */
export function validateNodeAllocatable(
  { capacity, systemReserved, orchReserved }: NodeResources,
  evictionHard: Reserved,
): void {
  const amount = (name: string, text: string | undefined): number =>
    text === undefined ? 0 : name === "cpu" ? milliValueOf(text) : wholeValueOf(text);
  const errors = reservable.flatMap((name) => {
    const total = amount(name, capacity[name]);
    const reserved =
      amount(name, systemReserved[name]) +
      amount(name, orchReserved[name]) +
      hardEvictionBytes(name, total, evictionHard);
    if (reserved <= total) return [];
    const text = name === "cpu" ? `${reserved}m` : String(reserved);
    return [
      `Resource "${name}" has a reservation of ${text} but capacity of ${capacity[name]}. Expected capacity >= reservation.`,
    ];
  });
  if (errors.length > 0) throw new Error(`invalid Node Allocatable configuration. ${errors.join(" ")}`);
}

/**
 * The settings of the group of all pods.
 *
 * @param enforced whether the reservations are enforced; otherwise pods may use the whole node
 */
export function podsGroupResources(
  { capacity, maxTasks, systemReserved, orchReserved }: NodeResources,
  enforced: boolean,
): CgroupResources {
  const left = (name: string, total: number, amountOf: (text: string) => number): number => {
    const reserved = enforced ? [systemReserved[name], orchReserved[name]] : [];
    return Math.max(
      0,
      reserved.reduce((rest, text) => rest - (text === undefined ? 0 : amountOf(text)), total),
    );
  };
  const hugePages = Object.entries(capacity).flatMap(([name, text]) => {
    const size = /^hugepages-(.+)$/.exec(name)?.[1];
    return size === undefined ? [] : [[kernelPageSize(size), wholeValueOf(text)] as const];
  });
  return {
    cpuShares: cpuShares(left("cpu", milliValueOf(capacity.cpu ?? "0"), milliValueOf)),
    memoryBytes: left("memory", wholeValueOf(capacity.memory ?? "0"), wholeValueOf),
    // At least one: 0 would let no pod start, and is no limit to some.
    pids: maxTasks === undefined ? undefined : Math.max(1, left("pid", maxTasks, wholeValueOf)),
    hugePages: new Map(hugePages),
  };
}

/**
 * Limits the processes of a group that exists to what is reserved for them.
 *
 * @param what as `System Reserved`
 * @throws Error if the group does not exist or cannot be limited
 */
export async function enforceReserved(
  manager: CgroupManager,
  what: string,
  path: string,
  reserved: Reserved,
  memoryQos: boolean,
): Promise<void> {
  const fail = (why: string): never => {
    throw new Error(`Failed to enforce ${what} Cgroup Limits on ${JSON.stringify(path)}: ${why}`);
  };
  const { cpu, memory, pid } = reserved;
  const memoryBytes = memory === undefined ? undefined : wholeValueOf(memory);
  let name: CgroupName;
  try {
    name = manager.parse(path);
  } catch (error) {
    return fail(messageOf(error));
  }
  if (!manager.exists(name)) fail(`cgroup ${JSON.stringify(name)} does not exist`);
  await manager
    .apply(name, {
      cpuShares: cpu === undefined ? undefined : cpuShares(milliValueOf(cpu)),
      memoryBytes,
      memoryMinBytes: memoryQos ? memoryBytes : undefined,
      pids: pid === undefined ? undefined : wholeValueOf(pid),
    })
    .catch((error: unknown) => fail(messageOf(error)));
}
