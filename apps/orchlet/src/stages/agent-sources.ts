import type { core } from "@orchernetes/api";
import { onAbort } from "@orchernetes/kernel";
import { measuredReader } from "../metrics/relist-metrics.ts";
import { followContainerEvents } from "../runtime/container-events.ts";
import { relistPods } from "../runtime/relist-pods.ts";
import { createStaticPods, type StaticPods } from "../sources/static-pods.ts";
import { isMirrorPod } from "../types/pod-identity.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import type { AgentPods } from "./agent-pods.ts";

/** Period between relists of the runtime's pods, as for the original's PLEG. */
const relistMs = 1000;
/** The period while the runtime sends events: relists find what events might have missed, and show that the runtime responds. */
const relistBesideEventsMs = 60_000;

/** The sources of this node's pods: manifest files, a URL and the API server. */
export interface AgentSources {
  readonly staticPods: StaticPods;
  /** Whether each source has been read once. Only then may the agent terminate pods that no source has. */
  allRead(): boolean;
  /** Passes the pods of all sources to the pod manager until the agent stops. */
  follow(): Promise<void>;
}

/** Creates the sources; {@link AgentSources.follow} starts them. */
export function createSources(
  host: AgentHost,
  api: AgentApi | undefined,
  node: AgentNode,
  { manager }: AgentPods,
): AgentSources {
  const { config, clock, logger, signal } = host;
  let apiRead = api === undefined;
  const staticPods = createStaticPods({
    settings: config.settings,
    nodeName: config.nodeName,
    client: api?.client,
    manager,
    shown: (namespace, name) => api?.pods.lister.get(namespace, name),
    apiRead: () => apiRead,
    mirrors: () => (api?.pods.lister.list() ?? []).filter(isMirrorPod),
    nodeUid: () => node.controller?.node?.metadata.uid,
    clock,
    logger,
    signal,
  });
  const unlessMirror = (then: (pod: core.Pod) => void) => (pod: core.Pod) =>
    isMirrorPod(pod) ? staticPods.mirrorChanged(pod) : then(pod);
  const set = unlessMirror((pod) => manager.set(pod));
  return {
    staticPods,
    allRead: () => apiRead && staticPods.allRead(),
    async follow() {
      try {
        await staticPods.start();
        // A container that starts before the services are known would lack their environment variables.
        await api?.services.waitForSync(signal);
        api?.pods.addHandler({
          onAdd: set,
          onUpdate: (_, pod) => set(pod),
          onDelete: unlessMirror((pod) => manager.remove(pod.metadata.uid ?? "")),
        });
        await api?.pods.waitForSync(signal);
        apiRead = true;
        void node.controller?.registered.then(() => staticPods.mirrorAll());
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

/**
 * Wakes the workers of pods whose state in the runtime has changed, and removes containers and sandboxes of pods that no source
 * has. The runtime is relisted periodically; with container events (feature gate EventedPLEG), less often.
 */
export async function followRuntime(
  { cri, config, clock, logger, metrics, signal }: AgentHost,
  { relist }: AgentNode,
  { manager, reader, work }: AgentPods,
  sources: AgentSources,
): Promise<void> {
  let periodMs = relistMs;
  let wakeUp = new AbortController();
  // One listener for all waits: to join two signals for each of them costs the engine more than the rest of the wait.
  if (!signal.aborted) onAbort(signal, () => wakeUp.abort());
  const polling = relistPods(measuredReader(reader, metrics, clock), {
    periodMs: () => periodMs,
    signal,
    async sleep(ms) {
      await clock.sleep(ms, wakeUp.signal).catch(() => undefined);
      if (wakeUp.signal.aborted && !signal.aborted) wakeUp = new AbortController();
    },
    onPod: (pod, changed) => {
      if (!manager.has(pod.uid)) {
        // A source that has not been read yet may contain the pod.
        if (!sources.allRead()) return;
        work.orphanFound();
        manager.clearOrphan(pod);
      } else if (changed) manager.wake(pod.uid);
    },
    onRelist: () => relist.record(),
    onError: (error) => logger.error(error, "Unable to list the runtime's pods"),
  });
  const events = config.featureEnabled("EventedPLEG")
    ? followContainerEvents({
        onPod: (uid) => manager.wake(uid),
        onFollowing(isFollowing) {
          periodMs = isFollowing ? relistBesideEventsMs : relistMs;
          // A relist finds what happened before the events began, or after they ended.
          wakeUp.abort();
        },
        ...{ cri, clock, logger, metrics, signal },
      })
    : undefined;
  await Promise.all([polling, events]);
}
