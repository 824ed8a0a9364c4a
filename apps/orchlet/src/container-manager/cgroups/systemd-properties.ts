import type { DbusValue, Variant } from "@orchernetes/host/dbus";
import { type CgroupResources, cpuWeight, noLimit } from "./cgroup-resources.ts";

/** A property of a unit with its value. */
export type UnitProperty = readonly [name: string, value: Variant];

/** No limit, as systemd writes it. */
const infinity = 2n ** 64n - 1n;
const usPerSecond = 1_000_000;
/** systemd keeps quotas in percent of a CPU: smaller steps are rounded up, so that a container never has more than its pod. */
const quotaStepUs = 10_000;

const property = (name: string, signature: string, value: DbusValue): UnitProperty => [name, { signature, value }];
const amount = (name: string, value: number | undefined): readonly UnitProperty[] =>
  value === undefined ? [] : [property(name, "t", value === noLimit ? infinity : BigInt(value))];

/** Properties of a new slice: its parent, and accounting. */
export function sliceProperties(slice: string, parent: string, version: 1 | 2): readonly UnitProperty[] {
  const accounting = ["CPUAccounting", "MemoryAccounting", "TasksAccounting"];
  return [
    property("Description", "s", `orchlet slice ${slice}`),
    property("Wants", "as", [parent]),
    property("DefaultDependencies", "b", false),
    ...[...accounting, version === 2 ? "IOAccounting" : "BlockIOAccounting"].map((name) => property(name, "b", true)),
  ];
}

/** The resources of a group as properties of its slice. systemd has none for huge pages. */
export function resourceProperties(resources: CgroupResources, version: 1 | 2): readonly UnitProperty[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryBytes, pids } = resources;
  return [
    ...(version === 2
      ? amount("CPUWeight", cpuShares === undefined ? undefined : cpuWeight(cpuShares))
      : amount("CPUShares", cpuShares)),
    ...amount("CPUQuotaPeriodUSec", cpuPeriodUs),
    ...amount("CPUQuotaPerSecUSec", cpuQuotaUs === undefined ? undefined : perSecondUs(cpuQuotaUs, cpuPeriodUs)),
    ...amount(version === 2 ? "MemoryMax" : "MemoryLimit", memoryBytes),
    ...(version === 2 ? amount("MemoryMin", resources.memoryMinBytes) : []),
    ...(version === 2 ? amount("MemoryHigh", resources.memoryHighBytes) : []),
    ...amount("TasksMax", pids),
  ];
}

function perSecondUs(quotaUs: number, periodUs = 100_000): number {
  if (quotaUs === noLimit) return noLimit;
  return Math.ceil((quotaUs * usPerSecond) / periodUs / quotaStepUs) * quotaStepUs;
}
