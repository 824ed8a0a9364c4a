import type { DaemonContext } from "@orchernetes/component";
import { createCriClient } from "@orchernetes/cri";
import type { Config } from "./config.ts";
import { runHousekeeping } from "./housekeeping.ts";
import { collectGivenUpTasks } from "./runtime/collect-given-up-tasks.ts";
import { warnOfOtherDriver } from "./runtime/warn-of-driver.ts";
import { createEviction } from "./stages/agent-eviction.ts";
import { createGarbage, nodeWarnings } from "./stages/agent-garbage.ts";
import { type AgentApi, type AgentHost, connectApi, openHost } from "./stages/agent-host.ts";
import { keepNetwork } from "./stages/agent-network.ts";
import { type AgentNode, describeNode, nodeReference } from "./stages/agent-node.ts";
import { createPods } from "./stages/agent-pods.ts";
import { runResources } from "./stages/agent-resources.ts";
import { serveAgent } from "./stages/agent-serving.ts";
import { followShutdown } from "./stages/agent-shutdown.ts";
import { createSources, followRuntime } from "./stages/agent-sources.ts";

/** A running agent. */
export interface Agent {
  /** Stops the agent. Containers keep running, so that the agent can be updated without interrupting pods. */
  stop(): Promise<void>;
}

/**
 * Builds the agent from its configuration and starts it: host → API server → node → pods → sources → serving. Each
 * stage is a value from which the next ones are built.
 *
 * @param connectRuntime creates the client of the container runtime
 * @throws TlsMaterialError if certificate files cannot be used; Error if a folder cannot be used or the agent cannot
 *   listen on an address
 */
export async function startAgent(
  config: Config,
  context: DaemonContext,
  connectRuntime: typeof createCriClient = createCriClient,
): Promise<Agent> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, context.signal]);
  for (const warning of config.warnings) context.logger.warn(warning);

  const host = await openHost(config, context, signal, connectRuntime);
  const api = connectApi(host);
  const node = describeNode(host, api);
  const pods = createPods(host, api, node);
  await pods.containerManager.start();
  const sources = createSources(host, api, node, pods);
  const garbage = createGarbage(host, api, pods);
  const eviction = createEviction(host, api, node, pods, garbage);
  const { clock, logger, cri, paths } = host;
  const { manager, reader, volumes, cgroups, csi, volumeStats } = pods;

  const background = [
    joinAndRun(host, api, node),
    pods.containerManager.run(signal),
    keepNetwork(host),
    collectGivenUpTasks(host),
    warnOfOtherDriver(host.config.settings.cgroupDriver, host),
    ...(csi?.run() ?? []),
    volumeStats.run(signal),
    runHousekeeping({
      ...{ config, cri, clock, logger, paths, manager, reader, volumes, cgroups, garbage, signal },
      allSourcesRead: sources.allRead,
      onFoldersRemoved: pods.work.foldersRemoved,
      recordNodeEvent: nodeWarnings(config.nodeName, api),
    }),
    eviction.run(),
    followRuntime(host, node, pods, sources),
    followShutdown(host, api, node, pods),
    sources.follow(),
    ...runResources(host, pods, sources),
  ];
  const serving = await serveAgent(host, api, node, pods);

  return {
    async stop() {
      stopping.abort();
      await serving.close();
      await manager.stopped();
      await Promise.allSettled(background);
      cri.close();
      api?.client.close();
    },
  };
}

/** Everything that needs credentials for the API server. Static pods do not: the API server may be one. */
async function joinAndRun({ config, signal }: AgentHost, api: AgentApi | undefined, node: AgentNode): Promise<void> {
  if (api === undefined) {
    await Promise.all(node.run());
    return;
  }
  if (!(await api.certificates.joined(signal))) return;
  api.events.event(nodeReference(config.nodeName), "Normal", "Starting", "Starting orchlet.");
  const informers = [api.services, api.pods, api.runtimeClasses, api.csiDrivers];
  await Promise.all([
    ...node.run(),
    ...informers.map((informer) => informer.run(signal)),
    ...api.certificates.run(api.client, signal),
  ]);
}
