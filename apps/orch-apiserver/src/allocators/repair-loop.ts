import { setTimeout as sleep } from "node:timers/promises";
import { core } from "@orchernetes/api";
import type { Registry } from "@orchernetes/apiserver";
import { assertNever, type Logger } from "@orchernetes/kernel";
import { allocatableOffset, type IpRange } from "./ip-range.ts";
import { ProblemReports } from "./problem-reports.ts";
import type { ServiceEvent } from "./record-event.ts";
import { type Holding, type HoldingProblem, RangeRepair, type RepairReport } from "./repair-range.ts";
import { allocatedBy } from "./service-allocation.ts";
import type { ServiceAllocator } from "./service-allocator.ts";

/** Kind of the ranges that a repair is about. */
type RepairedRange = "clusterip" | "nodeport";

/** Counts the findings of repairs. */
export interface RepairObserver {
  problem(range: RepairedRange, type: "repair" | "duplicate" | "outOfRange" | "leak"): void;
  /** A pass that failed. */
  failed(range: RepairedRange): void;
}

/** Records the event of a problem. */
type Report = (registry: Registry) => Promise<void>;

/** Options of {@link RepairLoop}. */
export interface RepairLoopOptions {
  readonly allocator: ServiceAllocator;
  readonly observer: RepairObserver;
  readonly logger: Pick<Logger, "warn" | "error">;
  readonly recordEvent: (registry: Registry, event: ServiceEvent) => Promise<void>;
  /** Interval between passes. @default 180000 */
  readonly intervalMs?: number;
  readonly now: () => number;
}

const types = { "not-allocated": "repair", duplicate: "duplicate", "out-of-range": "outOfRange" } as const;

/** One range, its repair, and how messages name its values. */
interface Target {
  readonly range: RepairedRange;
  readonly repair: RangeRepair;
  readonly holdings: (service: core.Service) => readonly Holding[];
  readonly valueAt: (offset: number) => string;
  readonly event: (holding: Holding, problem: HoldingProblem) => Omit<ServiceEvent, "service">;
}

/**
 * Compares the stored allocations with the services every few minutes. Values that a service has and that are not allocated are
 * allocated; values that no service has had for several passes are released. Services that share a value, or have one outside the
 * range, get an event: only their owners can resolve that.
 */
export class RepairLoop {
  readonly #options: RepairLoopOptions;
  readonly #targets: readonly Target[];
  readonly #reports: ProblemReports;
  #wake: () => void = () => undefined;

  constructor(options: RepairLoopOptions) {
    this.#options = options;
    this.#reports = new ProblemReports(options);
    const { allocator } = options;
    const ofAddresses = allocator.ranges.flatMap((range, index) => {
      const addresses = allocator.addresses[index];
      return addresses === undefined ? [] : [addressTarget(range, allocator.ranges, new RangeRepair(addresses))];
    });
    this.#targets = [...ofAddresses, portTarget(allocator)];
  }

  /** One pass over all ranges. Services can be created once a pass has succeeded. */
  async runOnce(registry: Registry): Promise<void> {
    const reports: Report[] = [];
    for (const target of this.#targets) {
      try {
        reports.push(...(await this.#repair(target, registry)));
      } catch (error) {
        this.#options.observer.failed(target.range);
        throw error;
      }
    }
    this.#options.allocator.markReady(() => this.#wake());
    // Not awaited: there may be as many events as services.
    for (const record of reports) await record(registry);
  }

  /** Repeats the pass until `signal` aborts; immediately when the store has lost allocations. */
  async run(registry: Registry, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const woken = Promise.withResolvers<void>();
      this.#wake = () => woken.resolve();
      await Promise.race([
        sleep(this.#options.intervalMs ?? 180_000, undefined, { signal, ref: false }).catch(() => undefined),
        woken.promise,
      ]);
      if (signal.aborted) return;
      try {
        await this.runOnce(registry);
      } catch (error) {
        if (!signal.aborted) this.#options.logger.error(error, "Allocations of services were not repaired");
        await sleep(1000, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #repair(target: Target, registry: Registry): Promise<readonly Report[]> {
    const report = await target.repair.run(async () => {
      const { items } = await registry.forDefinition(core.services).list();
      return items.flatMap(target.holdings);
    });
    return this.#report(target, report);
  }

  #report(target: Target, { problems, leaks }: RepairReport): readonly Report[] {
    const { observer, logger } = this.#options;
    const reports: Report[] = [];
    for (const { holding, problem } of problems) {
      observer.problem(target.range, types[problem]);
      const { service, value } = holding;
      const record = this.#reports.report(`${problem} ${value}`, { ...target.event(holding, problem), service });
      if (record !== undefined) reports.push(record);
    }
    this.#reports.expire();
    for (const offset of leaks.suspected)
      logger.warn("A value is allocated but no service uses it; it will be released if that persists", {
        value: target.valueAt(offset),
      });
    for (const offset of leaks.freed) {
      observer.problem(target.range, "leak");
      logger.warn("A leaked allocation was released", { value: target.valueAt(offset) });
    }
    return reports;
  }
}

function addressTarget(range: IpRange, all: readonly IpRange[], repair: RangeRepair): Target {
  const [primary] = all;
  return {
    range: "clusterip",
    repair,
    valueAt: (offset) => `offset ${offset} of ${range.cidr}`,
    holdings: (service) =>
      allocatedBy(service.spec).addresses.flatMap((value) => {
        const family = value.includes(":") ? "IPv6" : "IPv4";
        // An address of a family without a range counts as outside the primary range.
        const mine = family === range.family || (range === primary && !all.some((other) => other.family === family));
        return mine ? [{ service, value, offset: allocatableOffset(range, value) }] : [];
      }),
    event(holding, problem) {
      const shown = `Cluster IP [${holding.value.includes(":") ? "IPv6" : "IPv4"}]:${holding.value}`;
      const common = { action: "ClusterIPAllocation", reporter: "ipallocator-repair-controller" };
      switch (problem) {
        case "not-allocated":
          return { ...common, reason: "ClusterIPNotAllocated", message: `${shown} is not allocated; repairing` };
        case "duplicate":
          return {
            ...common,
            reason: "ClusterIPAlreadyAllocated",
            message: `${shown} was assigned to multiple services; please recreate service`,
          };
        case "out-of-range":
          return {
            ...common,
            reason: "ClusterIPOutOfRange",
            message: `${shown} is not within the configured Service CIDR ${range.cidr}; please recreate service`,
          };
        default:
          return assertNever(problem);
      }
    },
  };
}

function portTarget({ nodePorts, portRange: { from, to } }: ServiceAllocator): Target {
  return {
    range: "nodeport",
    repair: new RangeRepair(nodePorts),
    valueAt: (offset) => `port ${from + offset}`,
    // A node port that a service uses for two protocols is allocated once.
    holdings: (service) =>
      [...new Set(allocatedBy(service.spec).ports)].map((port) => ({
        service,
        value: String(port),
        offset: port >= from && port <= to ? port - from : undefined,
      })),
    event({ value }, problem) {
      const common = { action: "PortAllocation", reporter: "portallocator-repair-controller" };
      switch (problem) {
        case "not-allocated":
          return { ...common, reason: "PortNotAllocated", message: `Port ${value} is not allocated; repairing` };
        case "duplicate":
          return {
            ...common,
            reason: "PortAlreadyAllocated",
            message: `Port ${value} was assigned to multiple services; please recreate service`,
          };
        case "out-of-range":
          return {
            ...common,
            reason: "PortOutOfRange",
            message: `Port ${value} is not within the port range ${from}-${to}; please recreate service`,
          };
        default:
          return assertNever(problem);
      }
    },
  };
}
