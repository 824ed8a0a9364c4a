import type { core } from "@orchernetes/api";
import type { DaemonContext } from "@orchernetes/component";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { createCriClient } from "@orchernetes/cri";
import type { Config } from "./config.ts";
import type { PodManager } from "./pods/pod-manager.ts";
import { type AgentApi, connectApi, openHost } from "./stages/agent-host.ts";
import { describeNode } from "./stages/agent-node.ts";
import { createPods } from "./stages/agent-pods.ts";
import { runResources } from "./stages/agent-resources.ts";
import { createSources, followRuntime } from "./stages/agent-sources.ts";
import { podText } from "./types/pod-identity.ts";

/** Time limit for the containers of a pod to run, as in the original. */
const podMs = 17 * 60_000;
/** Time limit for the first read of all sources. */
const sourcesMs = 60_000;
const lookMs = 200;
/** Time limit for the final writes of statuses and events. */
const flushMs = 5000;

/**
 * Reads the static pods and the node's pods on the API server once, starts their containers, and ends; they keep running. Nothing is
 * served, and the node is not registered.
 *
 * @throws Error if a source cannot be read, or a pod's containers do not run; TlsMaterialError and Error as `startAgent`
 */
export async function runOnce(
  config: Config,
  context: DaemonContext,
  connectRuntime: typeof createCriClient = createCriClient,
): Promise<void> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, context.signal]);
  for (const warning of config.warnings) context.logger.warn(warning);
  const host = await openHost(config, context, signal, connectRuntime);
  const { clock, logger, cri } = host;
  const api = connectApi(host);
  const node = describeNode(host, api);
  const pods = createPods(host, api, node);
  await pods.containerManager.start();
  const sources = createSources(host, api, node, pods);
  const background = [
    readApi(api, signal),
    sources.follow(),
    ...runResources(host, pods, { allRead: () => false }),
    pods.containerManager.run(signal),
    // Pods that no source has are left alone.
    followRuntime(host, node, pods, { ...sources, allRead: () => false }),
  ];
  const until = async (ms: number, holds: () => boolean): Promise<boolean> => {
    for (const endMs = clock.monotonicMs() + ms; !holds(); ) {
      if (clock.monotonicMs() >= endMs) return false;
      await clock.sleep(lookMs, signal);
    }
    return true;
  };
  try {
    if (!(await until(sourcesMs, sources.allRead)))
      throw new Error(`no pod manifest update after ${sourcesMs / 1000}s: a source of pods cannot be read`);
    await until(podMs, () => unstarted(pods.manager).length === 0);
    const failed = unstarted(pods.manager);
    if (failed.length > 0) throw new Error(`error running pods: [${failed.join(", ")}]`);
    logger.info("Pods started", { pods: pods.manager.list().length });
    await Promise.race([Promise.all([pods.flushStatuses(), api?.events.flush()]), clock.sleep(flushMs, signal)]);
  } finally {
    stopping.abort();
    await pods.manager.stopped();
    await Promise.allSettled(background);
    cri.close();
    api?.client.close();
  }
}

async function readApi(api: AgentApi | undefined, signal: AbortSignal): Promise<void> {
  if (api === undefined || !(await api.certificates.joined(signal))) return;
  await Promise.all(
    [api.services, api.pods, api.runtimeClasses, api.csiDrivers].map((informer) => informer.run(signal)),
  );
}

/** Pods with a container that neither runs nor has terminated. */
function unstarted(manager: PodManager): readonly string[] {
  return manager
    .list()
    .filter(({ pod, status }) => pod !== undefined && !hasStarted(status))
    .map(({ identity }) => podText(identity));
}

function hasStarted(status: core.PodStatus | undefined): boolean {
  if (status === undefined) return false;
  if (isPodTerminal({ status })) return true;
  const containers = status.containerStatuses ?? [];
  return (
    status.phase === "Running" &&
    containers.length > 0 &&
    containers.every(({ state }) => state?.running !== undefined || state?.terminated !== undefined)
  );
}
