import type { AdmissionPlugin, WriteHooks } from "@orchernetes/apiserver";
import { systemClock } from "@orchernetes/kernel";
import { admissionChain } from "../admission/chain.ts";
import type { FollowObjects } from "../admission/shared/plugin.ts";
import { resolveService } from "../aggregator/service-resolver.ts";
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

/** Who may do what, and what takes part in writes. */
export interface PolicyStage {
  readonly authorization: ConfiguredAuthorization;
  readonly admission: readonly AdmissionPlugin[];
  /** Begins to follow what admission plugins need. */
  readonly followForAdmission: FollowObjects;
  readonly writeHooks: readonly WriteHooks[];
  /** Compares the ranges of services with the services. */
  readonly repairs: RepairLoop;
  /** Measures expressions of policies and rules. */
  readonly expressions: ExpressionMetrics;
}

/** Makes authorizers, admission plugins, and what gives services their addresses and ports. */
export function createPolicy(
  { config, flags, logger, metrics, egress, ended }: ServerProcess,
  { stores }: Pick<StorageStage, "stores">,
): PolicyStage {
  const authorization = createAuthorization(config, { metrics, clock: systemClock, signal: ended });
  const allocator = new ServiceAllocator({
    ranges: config.serviceRanges,
    ports: config.nodePorts,
    staticPorts: config.featureEnabled("ServiceNodePortStaticSubrange"),
    store: stores.main,
    observer: allocationMetrics(metrics),
  });
  addAllocatorMetrics(metrics, allocator);
  const repairs = new RepairLoop({
    allocator,
    observer: repairMetrics(metrics),
    logger,
    recordEvent: eventRecorder({ instance: serverIdentity(), now: () => new Date() }),
    now: Date.now,
  });
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
