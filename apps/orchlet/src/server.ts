import type { DaemonContext } from "@orchernetes/component";
import { createCriClient } from "@orchernetes/cri";
import { connectApi, openHost } from "./agent-host.ts";
import { describeNode, nodeReference } from "./agent-node.ts";
import { createPods } from "./agent-pods.ts";
import { serveAgent } from "./agent-serving.ts";
import { createSources, followRuntime } from "./agent-sources.ts";
import type { Config } from "./config.ts";
import { keepHouse } from "./housekeeping.ts";

/** An agent at work. */
export interface Agent {
  /** Stops working; containers keep running. */
  stop(): Promise<void>;
}

/**
 * Builds the agent from its configuration and starts it: host → API server → node → pods → sources → serving. Each stage is a
 * value that the next ones are built from.
 *
 * @param connectRuntime makes the client of the container runtime
 * @throws TlsMaterialError for faulty certificate files; Error when a folder cannot be used or an address not be listened on
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
  const sources = createSources(host, api, node, pods);
  const { clock, logger, cri, paths } = host;
  const { manager, reader, volumes, cgroups, say } = pods;

  const background = [
    ...node.run(),
    ...(api === undefined ? [] : [api.services.run(signal), api.pods.run(signal), api.runtimeClasses.run(signal)]),
    keepHouse({
      ...{ config, cri, clock, logger, paths, manager, reader, volumes, cgroups, signal },
      allSourcesRead: sources.allRead,
      crossed: node.crossed,
      sayOfPod: (pod, type, reason, message) => say(pod, undefined, type, reason, message),
    }),
    followRuntime(host, node, pods, sources),
    sources.follow(),
  ];
  api?.events.event(nodeReference(config.nodeName), "Normal", "Starting", "Starting orchlet.");
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
