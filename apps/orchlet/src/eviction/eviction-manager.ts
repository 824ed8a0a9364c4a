import type { core } from "@orchernetes/api";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { EvictionMetrics } from "../metrics/eviction-metrics.ts";
import type { NodeHealth } from "../node/conditions.ts";
import type { PodUse } from "../stats/summary/pod-use.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import { isCriticalPod } from "../types/pod-identity.ts";
import { endPod, type PodEnding } from "../util/end-pod.ts";
import { evictionText } from "./eviction-message.ts";
import { type ExceededLimit, exceededLimit, limitsLocalStorage } from "./local-storage-limits.ts";
import { nextPressure, noPressure, type PressureState, shownPressure } from "./pressure-state.ts";
import { type Candidate, rankPods } from "./rank-pods.ts";
import type { NodeReadings } from "./read-signals.ts";
import { type EvictionSignal, signalMeanings } from "./signals.ts";
import { isHard, type Threshold, thresholdsMet } from "./thresholds.ts";

/** A pod of the node that has not ended. */
interface EvictablePod {
  readonly pod: core.Pod;
  /** It is terminating already, for whatever reason. */
  readonly isEnding: boolean;
}

/** The options of the eviction manager. */
export interface EvictionOptions extends PodEnding {
  /** The objects must stay the same. */
  readonly thresholds: readonly Threshold[];
  /** Whether limits on local storage are enforced (`localStorageCapacityIsolation`). */
  readonly localStorage: boolean;
  /** Maximum grace period of a pod that a soft threshold evicts, in seconds; a negative number means the pod's own. */
  readonly maxPodGraceSeconds: number;
  /** How long pressure is shown after it was last seen, in milliseconds. */
  readonly transitionMs: number;
  readonly readNode: () => Promise<NodeReadings>;
  /** What pods use. Measurements of volumes may be minutes old, unless `fresh`. */
  readonly readPods: (isAsked: (uid: string) => boolean, fresh?: boolean) => Promise<ReadonlyMap<string, PodUse>>;
  readonly pods: () => readonly EvictablePod[];
  /** Whether nothing of a pod takes resources any more: no container, volume or control group. */
  readonly isCleared: (uid: string) => boolean;
  /** Removes what can be reclaimed without evicting pods. */
  readonly reclaim: { readonly containers: () => Promise<void>; readonly images: () => Promise<void> };
  readonly recordNodeEvent: (reason: string, message: string) => void;
  /** Called when the pressure that the node shows has changed. */
  readonly onPressure: (pressure: NodeHealth["pressure"]) => void;
  /** Called with the readings of each check. @default none */
  readonly onReadings?: (readings: NodeReadings) => void;
  /** Whether an evicted pod has the condition DisruptionTarget (gate PodDisruptionConditions). */
  readonly disruption: boolean;
  readonly metrics: EvictionMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time between two checks of the node, as in the original. */
const periodMs = 10_000;
/** Minimum time between two checks, however often the kernel sends memory notifications. */
const leastPeriodMs = 1000;
/** Maximum wait for the resources of an evicted pod to be released before another one is evicted. */
const clearMs = 30_000;
const clearLookMs = 1000;
const defaultGraceSeconds = 30;

/**
 * Keeps the node from running out of memory, space, inodes and processes: compares signals with thresholds, removes dead containers and unused
 * images, and then evicts one pod after the other. Evicts also pods that exceed their limits on local storage.
 */
export class EvictionManager {
  readonly #options: EvictionOptions;
  #state: PressureState = noPressure;
  #shown: NodeHealth["pressure"] = { memory: false, disk: false, pids: false };
  #wakeUp = new AbortController();
  /** Seconds that evicted pods were given, by uid. */
  readonly #given = new Map<string, number>();

  constructor(options: EvictionOptions) {
    this.#options = options;
  }

  /** Checks the node without waiting for the next period. */
  wake(): void {
    this.#wakeUp.abort();
  }

  /** Checks the node periodically until the agent stops. */
  async run(): Promise<void> {
    const { thresholds, localStorage, logger, signal } = this.#options;
    if (thresholds.length === 0 && !localStorage) return;
    while (!signal.aborted) {
      const evicted = await this.synchronize().catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, "Unable to check the eviction thresholds");
        return [];
      });
      await (evicted.length > 0 ? this.#untilCleared(evicted) : this.#wait()).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  /** Checks the node once. @returns uids of the pods that were evicted @throws CriError */
  async synchronize(): Promise<readonly string[]> {
    const { thresholds, localStorage, clock, readNode } = this.#options;
    const node = await readNode();
    this.#options.onReadings?.(node);
    this.#state = nextPressure(this.#state, thresholds, node.signals, clock.monotonicMs());
    this.#show();
    this.#forget();
    if (localStorage) {
      const evicted = await this.#evictByLimits(node);
      if (evicted.length > 0) return evicted;
    }
    const { due } = this.#state;
    const [first] = due;
    return first === undefined ? [] : this.#reclaim(first, due, node);
  }

  #forget(): void {
    const known = new Set(this.#options.pods().map(({ pod }) => pod.metadata.uid ?? ""));
    for (const uid of this.#given.keys()) if (!known.has(uid)) this.#given.delete(uid);
  }

  /** Whether a pod that ends already is to end sooner. Its own grace period may be years. */
  #endsSooner({ metadata: { uid = "", deletionGracePeriodSeconds: own } }: core.Pod, graceSeconds: number): boolean {
    return graceSeconds < Math.min(this.#given.get(uid) ?? Number.POSITIVE_INFINITY, own ?? Number.POSITIVE_INFINITY);
  }

  #show(): void {
    const { transitionMs, clock, onPressure } = this.#options;
    const pressure = shownPressure(this.#state, transitionMs, clock.monotonicMs());
    const before = this.#shown;
    this.#shown = pressure;
    const isSame = before.memory === pressure.memory && before.disk === pressure.disk && before.pids === pressure.pids;
    if (!isSame) onPressure(pressure);
  }

  /** Evicts every pod that exceeds a limit of its own. */
  async #evictByLimits({ hasImageDisk }: NodeReadings): Promise<readonly string[]> {
    const { pods, readPods } = this.#options;
    const limited = new Map(
      pods().flatMap(({ pod, isEnding }) =>
        (isEnding && !this.#endsSooner(pod, 0)) || !limitsLocalStorage(pod)
          ? []
          : [[pod.metadata.uid ?? "", pod] as const],
      ),
    );
    if (limited.size === 0) return [];
    const uses = await readPods((uid) => limited.has(uid));
    const excesses = [...limited].flatMap(([uid, pod]) => {
      const use = uses.get(uid);
      const limit = use && exceededLimit(pod, use, { hasImageDisk });
      return limit === undefined ? [] : [{ pod, limit }];
    });
    const evicted = await Promise.all(excesses.map(({ pod, limit }) => this.#evictByLimit(pod, limit)));
    return evicted.flat();
  }

  async #evictByLimit(pod: core.Pod, { signal, message }: ExceededLimit): Promise<readonly string[]> {
    const isEvicted = await this.#evict(pod, { reason: "Evicted", message, graceSeconds: 0 }, {});
    if (!isEvicted) return [];
    this.#options.metrics.evicted(signal);
    return [pod.metadata.uid ?? ""];
  }

  /** Reclaims a resource: first what the node can do without, then a pod. */
  async #reclaim(threshold: Threshold, due: readonly Threshold[], node: NodeReadings): Promise<readonly string[]> {
    const { logger, recordNodeEvent, readPods, pods, metrics, clock } = this.#options;
    const { signal } = threshold;
    const { resource } = signalMeanings[signal];
    logger.info("Attempting to reclaim a resource of the node", { resource, signal });
    recordNodeEvent("EvictionThresholdMet", `Attempting to reclaim ${resource}`);
    if (await this.#reclaimOfNode(signal, node)) {
      logger.info("Reclaimed enough without evicting a pod", { resource });
      return [];
    }
    // Old measurements show no volume that was filled within seconds: another pod would be evicted in place of its own.
    const uses = await readPods(() => true, signalMeanings[signal].pressure === "disk");
    const active = pods();
    const ranked = rankPods(
      active.map(({ pod }): Candidate => ({ pod, use: uses.get(pod.metadata.uid ?? "") })),
      signal,
      node,
    );
    for (const { signal: met } of due) metrics.statsUsed(met, (clock.monotonicMs() - node.atMs) / 1000);
    const ending = new Set(active.flatMap(({ pod, isEnding }) => (isEnding ? [pod.metadata.uid ?? ""] : [])));
    for (const { pod, use } of ranked) {
      const { uid = "" } = pod.metadata;
      const graceSeconds = this.#graceSeconds(threshold, pod);
      const mayWait = isCriticalPod(pod) || !this.#endsSooner(pod, graceSeconds ?? Number.POSITIVE_INFINITY);
      // This pod releases its resources soon; until then, no other pod must be evicted for the same shortage.
      if (ending.has(uid) && mayWait) return [uid];
      const { message, annotations } = evictionText(pod, use, resource, due, node.signals);
      const { disruption } = this.#options;
      const failure = { reason: "Evicted", message, graceSeconds, disruption };
      if (!(await this.#evict(pod, failure, annotations))) continue;
      metrics.evicted(signal);
      return [uid];
    }
    logger.warn("No pod of the node can be evicted", { resource, pods: active.length });
    return [];
  }

  /** Removes dead containers and unused images, where that helps. @returns whether no threshold is met any more */
  async #reclaimOfNode(signal: EvictionSignal, { hasImageDisk }: NodeReadings): Promise<boolean> {
    const { reclaim, readNode, thresholds, logger } = this.#options;
    if (!helps(signal, hasImageDisk)) return false;
    for (const remove of [reclaim.containers, reclaim.images])
      await remove().catch((error: unknown) =>
        logger.error(error, "Unable to reclaim a resource of the node", { signal }),
      );
    const { signals } = await readNode();
    return thresholdsMet(thresholds, signals, { withReclaim: true }).length === 0;
  }

  #graceSeconds(threshold: Threshold, { spec }: core.Pod): number | undefined {
    if (isHard(threshold)) return 0;
    const { maxPodGraceSeconds } = this.#options;
    if (maxPodGraceSeconds < 0) return undefined;
    return Math.min(maxPodGraceSeconds, spec.terminationGracePeriodSeconds ?? defaultGraceSeconds);
  }

  /** @returns false for a pod that the node needs */
  async #evict(pod: core.Pod, failure: PodFailure, annotations: Readonly<Record<string, string>>): Promise<boolean> {
    const { logger, recordEvent } = this.#options;
    const { name, namespace } = pod.metadata;
    if (isCriticalPod(pod)) {
      logger.warn("A critical pod is not evicted", { pod: `${namespace}/${name}`, message: failure.message });
      return false;
    }
    logger.warn("Evicting a pod", { pod: `${namespace}/${name}`, message: failure.message });
    recordEvent(pod, failure.reason, failure.message, annotations);
    this.#given.set(pod.metadata.uid ?? "", failure.graceSeconds ?? Number.POSITIVE_INFINITY);
    const end = await endPod(this.#options, pod, failure);
    if (end === "late") logger.warn("An evicted pod did not terminate in time", { pod: `${namespace}/${name}` });
    return end !== "gone";
  }

  /** Waits until evicted pods take nothing any more. Those that took disk space keep some as long as they have containers. */
  async #untilCleared(uids: readonly string[]): Promise<void> {
    const { clock, signal, isCleared, reclaim, logger } = this.#options;
    let hasContainers = this.#state.due.some(({ signal: met }) => signalMeanings[met].pressure === "disk");
    for (const endMs = clock.monotonicMs() + clearMs; clock.monotonicMs() < endMs; ) {
      await clock.sleep(clearLookMs, signal);
      if (!uids.every(isCleared)) continue;
      if (!hasContainers) return;
      hasContainers = false;
      // Until the next look, the runtime frees their space.
      await reclaim
        .containers()
        .catch((error: unknown) => logger.error(error, "Unable to remove the containers of evicted pods"));
    }
  }

  async #wait(): Promise<void> {
    const { clock, signal } = this.#options;
    await clock.sleep(leastPeriodMs, signal);
    await clock
      .sleep(periodMs - leastPeriodMs, AbortSignal.any([signal, this.#wakeUp.signal]))
      .catch(() => signal.throwIfAborted());
    if (this.#wakeUp.signal.aborted) this.#wakeUp = new AbortController();
  }
}

/** Whether dead containers and images are on the file system of a signal. */
function helps(signal: EvictionSignal, hasImageDisk: boolean): boolean {
  if (signalMeanings[signal].pressure !== "disk") return false;
  return signal.startsWith("imagefs.") || !hasImageDisk;
}
