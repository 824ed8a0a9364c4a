import type { core } from "@orchernetes/api";
import { isPodTerminal } from "@orchernetes/component-helpers";
import type { PodFailure } from "../types/pod-failure.ts";
import type { PodWorker } from "./pod-worker.ts";

/**
 * The workers of this node's pods by uid. The pod manager adds and removes them; other components look up and wake
 * them.
 */
export class PodWorkers {
  readonly #workers = new Map<string, PodWorker>();
  /** Uids of pods that had a start time when they were added. */
  readonly #started = new Set<string>();

  get(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  has(uid: string): boolean {
    return this.#workers.has(uid);
  }

  /** In the order in which they were added. */
  list(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /** Pods of this node that have not terminated. */
  active(): readonly core.Pod[] {
    return this.list().flatMap(({ pod, status }) => (pod === undefined || isPodTerminal({ status }) ? [] : [pod]));
  }

  /**
   * Pods of this node that have not terminated, of those that were admitted or that an earlier agent has started. An account may have
   * created any number of other pods for this node. They are not looked through, because this is called for each of them.
   *
   * @param admitted uids
   */
  holding(admitted: ReadonlySet<string>): readonly core.Pod[] {
    return [...new Set([...this.#started, ...admitted])].flatMap((uid) => {
      const { pod, status } = this.#workers.get(uid) ?? {};
      if (pod === undefined || isPodTerminal({ status })) {
        this.#started.delete(uid);
        return [];
      }
      return [pod];
    });
  }

  /** Causes a round of a pod, if the node has it. */
  wake(uid: string): void {
    this.#workers.get(uid)?.wake();
  }

  /** Terminates a pod as Failed; resolves when it has terminated. Undefined if the node does not have the pod. */
  end(uid: string, failure: PodFailure): Promise<void> | undefined {
    const worker = this.#workers.get(uid);
    worker?.fail(failure);
    return worker?.stopped;
  }

  add(worker: PodWorker): void {
    this.#workers.set(worker.identity.uid, worker);
    if (worker.pod?.status?.startTime !== undefined) this.#started.add(worker.identity.uid);
  }

  remove(uid: string): void {
    this.#workers.delete(uid);
    this.#started.delete(uid);
  }
}
