import { EvictionManager } from "../eviction/eviction-manager.ts";
import { notifyOfMemory } from "../eviction/notify-of-memory.ts";
import { readSignals } from "../eviction/read-signals.ts";
import { evictionThresholds } from "../eviction/thresholds.ts";
import { addEvictionMetrics } from "../metrics/eviction-metrics.ts";
import { podUses } from "../stats/summary/pod-use.ts";
import { podReference } from "../types/pod-identity.ts";
import { type AgentGarbage, nodeWarnings } from "./agent-garbage.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import type { AgentNode } from "./agent-node.ts";
import type { AgentPods } from "./agent-pods.ts";

/** How long an eviction waits for measurements of volumes; those that take longer count as before. */
const freshVolumesMs = 10_000;

/** Creates the eviction manager. {@link EvictionManager.run} starts it. */
export function createEviction(
  { config, metrics, clock, logger, signal }: AgentHost,
  api: AgentApi | undefined,
  node: AgentNode,
  { manager, workers, usage, volumeStats }: AgentPods,
  garbage: AgentGarbage,
): EvictionManager {
  const { settings, nodeName, featureEnabled } = config;
  const thresholds = evictionThresholds(settings);
  const eviction = new EvictionManager({
    thresholds,
    localStorage: settings.localStorageCapacityIsolation,
    maxPodGraceSeconds: settings.evictionMaxPodGracePeriod,
    transitionMs: settings.evictionPressureTransitionPeriod,
    readNode: () => readSignals(usage),
    async readPods(isAsked, fresh = false) {
      if (fresh) await volumeStats.measureLocal(freshVolumesMs, signal);
      return podUses(usage, isAsked);
    },
    pods: () =>
      manager.list().flatMap(({ pod, isEnding, isOver }) => (pod === undefined || isOver ? [] : [{ pod, isEnding }])),
    isCleared: (uid) => workers.get(uid)?.isReleased ?? true,
    reclaim: {
      containers: () => garbage.removeDeadContainers(),
      images: async () => void (await garbage.images.removeUnused()),
    },
    recordNodeEvent: nodeWarnings(nodeName, api),
    recordEvent: (pod, reason, message, annotations) =>
      api?.events.event(podReference(pod), "Warning", reason, message, annotations && { annotations }),
    end: (uid, failure) => workers.end(uid, failure),
    onPressure: node.setPressure,
    ...(settings.kernelMemcgNotification && {
      onReadings: notifyOfMemory(usage, thresholds, { onCrossed: () => eviction.wake(), logger, signal }),
    }),
    disruption: featureEnabled("PodDisruptionConditions"),
    metrics: addEvictionMetrics(metrics),
    ...{ clock, logger, signal },
  });
  return eviction;
}
