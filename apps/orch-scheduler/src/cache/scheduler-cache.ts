import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { NodeTable } from "./node-table.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";

interface Assumption {
  readonly uid: string;
  readonly node: string;
}

/**
 * The cluster as scheduling decisions see it: nodes with the pods on them, including assumed pods, which have a node but were not
 * yet observed on it. Without them, the next decision could give the same resources away again. As in the original, an assumption
 * has no time limit: if the watch of pods is interrupted for long, pods that are bound still use their resources. It ends when the
 * pod is observed on a node or deleted, or when its binding fails.
 *
 * An assumption belongs to one uid. Late events about a deleted pod do not affect a new pod with its name.
 */
export class SchedulerCache {
  readonly nodes = new NodeTable();
  readonly #assumed = new Map<string, Assumption>();

  /** Counts a pod on the node that was chosen for it. */
  assume(info: PodInfo, node: string): void {
    this.#assumed.set(info.key, { uid: info.uid, node });
    this.nodes.addPod(node, info);
  }

  isAssumed(key: string, uid: string): boolean {
    return this.#assumed.get(key)?.uid === uid;
  }

  /** The node that was chosen for a pod and is assumed; undefined if none is. */
  assumedNode(key: string, uid: string): string | undefined {
    const assumption = this.#assumed.get(key);
    return assumption?.uid === uid ? assumption.node : undefined;
  }

  /** The keys of all assumed pods. */
  get assumedKeys(): readonly string[] {
    return [...this.#assumed.keys()];
  }

  /** Reverts an assumption. Returns false if there is none any more, because a watch event confirmed or ended it. */
  forget({ key, uid }: PodInfo): boolean {
    const assumption = this.#assumed.get(key);
    if (assumption?.uid !== uid) return false;
    this.#assumed.delete(key);
    this.nodes.removePod(assumption.node, key);
    return true;
  }

  /** Counts a pod that was observed on its node: bound by this scheduler or another one, or changed there. */
  place(pod: Stored<core.Pod>, node: string): void {
    const key = keyOf(pod);
    const assumption = this.#assumed.get(key);
    this.#assumed.delete(key);
    if (assumption !== undefined && assumption.node !== node) this.nodes.removePod(assumption.node, key);
    this.nodes.addPod(node, podInfo(pod));
  }

  /** Removes a deleted pod. Returns whether it was counted on a node. */
  remove(pod: Stored<core.Pod>): boolean {
    const key = keyOf(pod);
    const node = pod.spec.nodeName || this.#assumed.get(key)?.node;
    // The last known state may be older than the assumption, and name another node.
    const assumedOn = this.#assumed.get(key)?.node;
    this.#assumed.delete(key);
    if (assumedOn !== undefined && assumedOn !== node) this.nodes.removePod(assumedOn, key);
    if (!node) return false;
    this.nodes.removePod(node, key);
    return true;
  }

  /** Number of assumed pods, for metrics. */
  get assumedCount(): number {
    return this.#assumed.size;
  }
}
