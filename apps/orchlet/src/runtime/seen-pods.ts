import type { Clock } from "@orchernetes/kernel";
import type { PodRuntime } from "./pod-runtime.ts";

/** A pod in a list, with a text that changes whenever the state of a sandbox or container of it does. */
interface ListedPod {
  readonly fingerprint: string;
}

/** A list of all pods describes them for so long, in milliseconds: they are listed every second, unless the runtime is slow or gone. */
const maxListAgeMs = 3000;

/**
 * What was seen of pods when they were read last, and what the last list of all pods shows of them (upstream: the pod cache). A round of a pod
 * that is the same in both need not ask the runtime.
 */
export class SeenPods {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #read = new Map<string, ListedPod & { readonly runtime: PodRuntime }>();
  #listed: { readonly pods: ReadonlyMap<string, ListedPod>; readonly begunMs: number } | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Sets what the last list shows, and forgets pods that are not in it; a map that is the same one shows the same. @param begunMs monotonic time at which the runtime was asked */
  list(pods: ReadonlyMap<string, ListedPod>, begunMs: number): void {
    const isSame = pods === this.#listed?.pods;
    this.#listed = { pods, begunMs };
    if (isSame && this.#read.size <= pods.size) return;
    for (const uid of this.#read.keys()) if (!pods.has(uid)) this.#read.delete(uid);
  }

  /** Sets what was read of a pod. @param listed the pod in the lists that were read with it; undefined if it may change without them */
  read(listed: ListedPod | undefined, runtime: PodRuntime): void {
    if (listed === undefined) this.#read.delete(runtime.uid);
    else this.#read.set(runtime.uid, { fingerprint: listed.fingerprint, runtime });
  }

  /** What was read of a pod, if a list that has not begun before `sinceMs` shows that it is still so; undefined otherwise. */
  unchanged(uid: string, sinceMs: number): PodRuntime | undefined {
    const read = this.#read.get(uid);
    if (read === undefined || this.#listed === undefined) return undefined;
    const { pods, begunMs } = this.#listed;
    if (begunMs < sinceMs || this.#clock.monotonicMs() - begunMs > maxListAgeMs) return undefined;
    return pods.get(uid)?.fingerprint === read.fingerprint ? read.runtime : undefined;
  }
}
