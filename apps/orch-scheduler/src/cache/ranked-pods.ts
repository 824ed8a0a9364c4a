import type { PodInfo } from "./pod-info.ts";

/** When a pod was started; "" if it was not. */
export const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? "";

/** Orders pods by importance: higher priority first, then the one that has run longer. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [first, second] = [startOf(a), startOf(b)];
  // A pod that has not started is the youngest.
  if (first === second) return 0;
  if (first === "") return 1;
  if (second === "") return -1;
  return first < second ? -1 : 1;
}

/** Whether filters that read amounts, labels and affinity terms cannot tell two pods apart. */
const isAlike = (a: PodInfo, b: PodInfo): boolean =>
  a.podClass === b.podClass && a.demand === b.demand && a.terms === undefined && b.terms === undefined;

/**
 * The pods of a node, the most important first, with what a preemption reads of each. It examines the pods of hundreds of nodes, so
 * this is kept while they do not change, and in arrays: the pods themselves are spread over memory.
 */
export class RankedPods {
  readonly pods: readonly PodInfo[];
  /** By place in `pods`. */
  readonly priorities: readonly number[];
  /** By place: when the pod was started; "" if it was not. */
  readonly starts: readonly string[];
  /** By place: the number of the pod's kind. Pods of a kind are alike: in namespace, labels, requests and host ports, without affinity. */
  readonly kinds: readonly number[];
  /** By kind: one of its pods. */
  readonly examples: readonly PodInfo[];

  /** @param pods in the order in which they were counted */
  constructor(pods: Iterable<PodInfo>) {
    this.pods = [...pods].sort(byImportance);
    this.priorities = this.pods.map(({ priority }) => priority);
    this.starts = this.pods.map(startOf);
    const examples: PodInfo[] = [];
    this.examples = examples;
    const byClass = new Map<PodInfo["podClass"], number[]>();
    this.kinds = this.pods.map((info) => {
      let kinds = byClass.get(info.podClass);
      if (kinds === undefined) {
        kinds = [];
        byClass.set(info.podClass, kinds);
      }
      const known = kinds.find((kind) => isAlike(examples[kind] as PodInfo, info));
      if (known !== undefined) return known;
      // What has affinity is like no other pod, so there is no use in comparing others with it.
      if (info.terms === undefined) kinds.push(examples.length);
      return examples.push(info) - 1;
    });
  }

  /** The first place of a pod with a lower priority, up to the end; the number of pods if there is none. */
  firstBelow(priority: number): number {
    const { priorities } = this;
    let [low, high] = [0, priorities.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((priorities[middle] as number) < priority) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
