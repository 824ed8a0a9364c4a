import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer, ResourceHandler } from "@orchernetes/client";
import { podInfo } from "./cache/pod-info.ts";
import type { SchedulerCache } from "./cache/scheduler-cache.ts";
import { imagesChange, nodeChange, placedPodChange, podChangeMayHelp } from "./cluster-events.ts";
import { ClusterEvent } from "./framework/interfaces.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";

/** Where events go. */
export interface Followers {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  /** Whether a profile has this `spec.schedulerName`. */
  readonly responsible: (schedulerName: string) => boolean;
}

function nodeHandler({ cache, queue }: Followers): ResourceHandler<core.Node> {
  return {
    onAdd(node) {
      cache.nodes.setNode(node);
      queue.moveAll(ClusterEvent.NodeAdded);
    },
    onUpdate(old, node) {
      const events = nodeChange(old, node);
      // Heartbeats change nothing that matters here.
      if (events === 0 && !imagesChange(old, node)) return;
      cache.nodes.setNode(node);
      if (events !== 0) queue.moveAll(events);
    },
    onDelete: (node) => cache.nodes.removeNode(node.metadata.name),
  };
}

function podHandler({ cache, queue, responsible }: Followers): ResourceHandler<core.Pod> {
  const wants = ({ spec, metadata }: core.Pod): boolean =>
    responsible(spec.schedulerName ?? "") && !metadata.deletionTimestamp && !spec.schedulingGates?.length;
  const placed = (pod: Stored<core.Pod>, node: string): void => {
    queue.delete(keyOf(pod));
    cache.place(pod, node);
  };
  return {
    onAdd(pod) {
      if (pod.spec.nodeName) {
        placed(pod, pod.spec.nodeName);
        queue.moveAll(ClusterEvent.PodAdded);
      } else if (wants(pod)) queue.add(podInfo(pod));
    },
    onUpdate(old, pod) {
      const { nodeName } = pod.spec;
      if (nodeName && !old.spec.nodeName) {
        placed(pod, nodeName);
        queue.moveAll(ClusterEvent.PodAdded);
        return;
      }
      if (nodeName) {
        const events = placedPodChange(old, pod);
        if (events === undefined) return;
        cache.place(pod, nodeName);
        queue.moveAll(events);
        return;
      }
      const key = keyOf(pod);
      if (!wants(pod)) queue.delete(key);
      // Once its binding was answered, an assumed pod only waits to be seen bound.
      else if (queue.has(key) || !cache.isAssumed(key, pod.metadata.uid))
        queue.update(podInfo(pod), podChangeMayHelp(old, pod));
    },
    onDelete(pod) {
      queue.delete(keyOf(pod));
      if (cache.remove(pod)) queue.moveAll(ClusterEvent.PodDeleted);
    },
  };
}

/** Carries what informers see into the cache and the queue. To be called before the informers run. */
export function followCluster(
  { pods, nodes }: { readonly pods: Informer<core.Pod>; readonly nodes: Informer<core.Node> },
  followers: Followers,
): void {
  nodes.addHandler(nodeHandler(followers));
  pods.addHandler(podHandler(followers));
}
