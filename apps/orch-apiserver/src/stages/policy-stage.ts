import type { AdmissionPlugin, WriteHooks } from "@orchernetes/apiserver";
import { systemClock } from "@orchernetes/kernel";
import { admissionChain } from "../admission/chain.ts";
import type { FollowObjects } from "../admission/shared/plugin.ts";
import { resolveService } from "../aggregator/service-resolver.ts";
import { AddressRepair } from "../allocators/address-repair.ts";
import { AddressTable } from "../allocators/address-table.ts";
import { eventRecorder } from "../allocators/record-event.ts";
import { RepairLoop } from "../allocators/repair-loop.ts";
import { serviceAllocation } from "../allocators/service-allocation.ts";
import { ServiceAllocator } from "../allocators/service-allocator.ts";
import { type ConfiguredAuthorization, createAuthorization } from "../authorization/create-authorization.ts";
import { serverIdentity } from "../config.ts";
import { addAllocatorMetrics, allocationMetrics, repairMetrics } from "../metrics/allocator-metrics.ts";
import { type ExpressionMetrics, expressionMetrics } from "../metrics/expression-metrics.ts";
import type { ServerProcess } from "./process.ts";
import type { StorageStage } from "./storage-stage.ts";

type Repairs = Pick<RepairLoop, "run" | "runOnce">;

/** Addresses are repaired first: services can be created once the loop has made its first pass. */
const withAddresses = (loop: RepairLoop, addresses: AddressRepair): Repairs => ({
  async runOnce(registry) {
    await addresses.runOnce(registry);
    await loop.runOnce(registry);
  },
  async run(registry, signal) {
    await Promise.all([addresses.run(registry, signal), loop.run(registry, signal)]);
  },
});

/** Authorization, and the parts of writes: admission plugins and the allocation of addresses and ports. */
export interface PolicyStage {
  readonly authorization: ConfiguredAuthorization;
  readonly admission: readonly AdmissionPlugin[];
  /** Starts to follow the objects that admission plugins need. */
  readonly followForAdmission: FollowObjects;
  readonly writeHooks: readonly WriteHooks[];
  /** Compares the allocated addresses and ports with the services, and repairs differences. */
  readonly repairs: Repairs;
  /** Measures expressions of policies and rules. */
  readonly expressions: ExpressionMetrics;
}

/**
 * Creates the authorizers, the admission plugins and the allocator of services. It comes before the registry, which calls them for each
 * write; what they need of the registry they get when they start to follow it.
 */
export function createPolicy(
  { config, flags, logger, metrics, egress, ended }: ServerProcess,
  { stores }: Pick<StorageStage, "stores">,
): PolicyStage {
  const authorization = createAuthorization(config, { metrics, clock: systemClock, signal: ended });
  const table = config.featureEnabled("MultiCIDRServiceAllocator") ? new AddressTable() : undefined;
  const allocator = new ServiceAllocator({
    ranges: config.serviceRanges,
    table,
    ports: config.nodePorts,
    staticPorts: config.featureEnabled("ServiceNodePortStaticSubrange"),
    store: stores.main,
    observer: allocationMetrics(metrics),
  });
  addAllocatorMetrics(metrics, allocator);
  const reporting = {
    observer: repairMetrics(metrics),
    logger,
    recordEvent: eventRecorder({ instance: serverIdentity(), now: () => new Date() }),
  };
  const loop = new RepairLoop({ allocator, ...reporting, now: Date.now });
  const repairs =
    table === undefined
      ? loop
      : withAddresses(
          loop,
          new AddressRepair({ table, ranges: config.serviceRanges, ...reporting, clock: systemClock, signal: ended }),
        );
  const expressions = expressionMetrics(metrics);
  const { admissionPlugins, pluginConfigurations: configuration, featureEnabled } = config;
  const followers: FollowObjects[] = [];
  const routing = flags["enable-aggregator-routing"] ? "endpoints" : "cluster-ip";
  return {
    authorization,
    admission: admissionChain(admissionPlugins, {
      flags,
      featureEnabled,
      rights: authorization,
      configuration,
      metrics,
      resolveService: (registry, service) => resolveService(registry, { service }, routing),
      dialer: egress.dialer,
      clock: systemClock,
      logger,
      signal: ended,
      whenStarted: (follow) => followers.push(follow),
      expressions,
    }),
    followForAdmission: async (registry, signal) => {
      await Promise.all(followers.map((follow) => follow(registry, signal)));
    },
    writeHooks: [serviceAllocation(allocator, logger)],
    repairs,
    expressions,
  };
}
