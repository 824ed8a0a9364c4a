import { gracePeriodsOf } from "../shutdown/grace-periods.ts";
import { connectLogind } from "../shutdown/logind.ts";
import { manageShutdown } from "../shutdown/shutdown-manager.ts";
import { shutdownEvent } from "../shutdown/shutdown-state.ts";
import { ShutdownTimesFile } from "../shutdown/shutdown-times.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import { type AgentNode, nodeReference } from "./agent-node.ts";
import type { AgentPods } from "./agent-pods.ts";

/**
 * Ends pods gracefully when the host shuts down, until the agent stops. Does nothing unless the configuration has periods for it, and
 * feature gate GracefulNodeShutdown is on.
 */
export async function followShutdown(
  { config, clock, logger, signal, paths, metrics }: AgentHost,
  api: AgentApi | undefined,
  node: AgentNode,
  { workers }: AgentPods,
): Promise<void> {
  const periods = gracePeriodsOf(config.settings);
  if (periods.length === 0 || !config.featureEnabled("GracefulNodeShutdown")) return;
  const times = new ShutdownTimesFile(paths.root);
  times.measure(metrics);
  await manageShutdown(
    {
      periods,
      connect: () => connectLogind(config.logind),
      active: () => workers.active(),
      end: (uid, failure) => workers.end(uid, failure),
      disruption: config.featureEnabled("PodDisruptionConditions"),
      onChange(isShuttingDown) {
        node.shutdown.isShuttingDown = isShuttingDown;
        node.controller?.wake();
        const { reason, message } = shutdownEvent(isShuttingDown);
        api?.events.event(nodeReference(config.nodeName), "Normal", reason, message);
      },
      ...{ times, clock, logger },
    },
    signal,
  );
}
