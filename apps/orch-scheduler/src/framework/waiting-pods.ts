import { formatDuration } from "@orchernetes/config";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { PodInfo } from "../cache/pod-info.ts";

/** Longest time for which Permit holds a pod, in milliseconds. */
export const MAX_PERMIT_MS = 15 * 60_000;

/** A pod that has a node, and that Permit plugins hold. Its node's resources count as used meanwhile. */
export interface WaitingPod {
  readonly info: PodInfo;
  /** Name of its node. */
  readonly node: string;
  /** Names of the plugins that still hold it. */
  readonly pendingPlugins: readonly string[];
  /** Ends the hold of a plugin. The pod is bound when no plugin holds it any more. */
  allow(plugin: string): void;
  /** Rejects the pod, even if other plugins hold it, too; it is scheduled again. */
  reject(plugin: string, message: string): void;
}

/** The end of a hold. */
export type PermitOutcome =
  | { readonly type: "permitted" }
  /** The plugin that rejected the pod, or whose time was over. */
  | { readonly type: "rejected"; readonly plugin: string; readonly message: string };

/** The pods that Permit plugins hold, of all profiles. Methods of pods whose hold has ended do nothing. */
export class WaitingPods {
  readonly #byUid = new Map<string, WaitingPod>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uid: string): WaitingPod | undefined {
    return this.#byUid.get(uid);
  }

  /** All of them, in the order of their decisions. */
  list(): readonly WaitingPod[] {
    return [...this.#byUid.values()];
  }

  /**
   * Holds a pod until every plugin allows it, one rejects it, or the time of one is over. It never rejects.
   *
   * @param timeouts in milliseconds by plugin, not empty
   */
  hold(info: PodInfo, node: string, timeouts: ReadonlyMap<string, number>): Promise<PermitOutcome> {
    const { promise, resolve } = Promise.withResolvers<PermitOutcome>();
    const timers = new Map<string, Timer>();
    const end = (outcome: PermitOutcome): void => {
      for (const timer of timers.values()) timer.clear();
      if (this.#byUid.get(info.uid) === pod) this.#byUid.delete(info.uid);
      resolve(outcome);
    };
    const pod: WaitingPod = {
      info,
      node,
      get pendingPlugins() {
        return [...timers.keys()];
      },
      allow(plugin) {
        timers.get(plugin)?.clear();
        if (timers.delete(plugin) && timers.size === 0) end({ type: "permitted" });
      },
      reject: (plugin, message) => end({ type: "rejected", plugin, message }),
    };
    for (const [plugin, timeoutMs] of timeouts) {
      const message = `rejected due to timeout after waiting ${formatDuration(timeoutMs)} at plugin ${plugin}`;
      timers.set(
        plugin,
        this.#clock.setTimeout(() => pod.reject(plugin, message), timeoutMs),
      );
    }
    this.#byUid.set(info.uid, pod);
    return promise;
  }
}
