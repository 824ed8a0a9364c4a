import type { core } from "@orchernetes/api";
import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer, ResourceHandler } from "@orchernetes/client";
import type { NominatedPods } from "./cache/nominated-pods.ts";
import { podInfo } from "./cache/pod-info.ts";
import type { SchedulerCache } from "./cache/scheduler-cache.ts";
import { imagesChange, nodeChange, placedPodChange, podChangeMayHelp } from "./cluster-events.ts";
import { ClusterEvent, type ClusterEvents } from "./framework/interfaces.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";

/** The destinations of events. */
export interface Followers {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  /** Whether a profile has this `spec.schedulerName`. */
  readonly responsible: (schedulerName: string) => boolean;
}

/** Updates the cache for every relevant change of a node, and reactivates those pods that the change may help. */
function nodeHandler({ cache, queue }: Followers): ResourceHandler<core.Node> {
  return {
    onAdd(node) {
      cache.nodes.setNode(node);
      queue.moveAll(ClusterEvent.NodeAdded);
    },
    onUpdate(old, node) {
      const events = nodeChange(old, node);
      // Heartbeats change nothing that scheduling reads.
      if (events === 0 && !imagesChange(old, node)) return;
      cache.nodes.setNode(node);
      if (events !== 0) queue.moveAll(events);
    },
    onDelete(node) {
      cache.nodes.removeNode(node.metadata.name);
      queue.moveAll(ClusterEvent.NodeDeleted);
    },
  };
}

/**
 * Handles pods. A pod without a node belongs in the queue, one with a node in the cache; a pod changes from one to the
 * other when its binding is observed. Pods of other schedulers are followed only once they have a node, where they use
 * resources.
 */
function podHandler({ cache, queue, nominated, responsible }: Followers): ResourceHandler<core.Pod> {
  /**
   * Whether this scheduler has to find a node for the pod. Gated pods are queued when their last gate is removed
   * (KEP-3521).
   */
  const wants = ({ spec, metadata }: core.Pod): boolean =>
    responsible(spec.schedulerName ?? "") && !metadata.deletionTimestamp && !spec.schedulingGates?.length;
  const placed = (pod: Stored<core.Pod>, node: string): void => {
    const key = keyOf(pod);
    queue.delete(key);
    nominated.delete(key);
    cache.place(pod, node);
  };
  return {
    onAdd(pod) {
      if (pod.spec.nodeName) {
        placed(pod, pod.spec.nodeName);
        queue.moveAll(ClusterEvent.PodAdded);
      } else if (wants(pod)) {
        const info = podInfo(pod);
        // An earlier scheduler may have nominated a node and evicted pods for it; that room is still being made.
        nominated.set(info, info.nominatedNodeName);
        queue.add(info);
      }
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
        if (events !== 0) queue.moveAll(events);
        return;
      }
      const key = keyOf(pod);
      if (!wants(pod)) {
        queue.delete(key);
        nominated.delete(key);
      }
      // A bound pod waits only to be observed on its node.
      else if (queue.has(key) || !cache.isAssumed(key, pod.metadata.uid)) {
        const info = podInfo(pod);
        // An update that was sent before the nomination does not revoke it.
        if ((old.status.nominatedNodeName ?? "") !== info.nominatedNodeName)
          nominated.set(info, info.nominatedNodeName);
        queue.update(info, podChangeMayHelp(old, pod));
      }
    },
    onDelete(pod) {
      const key = keyOf(pod);
      queue.delete(key);
      nominated.delete(key);
      if (cache.remove(pod)) queue.moveAll(ClusterEvent.PodDeleted);
    },
  };
}

/** An informer of objects about volumes. */
export interface FollowedVolumes {
  readonly informer: Informer<ApiObject>;
  /** What an addition or a change may help. */
  readonly event: ClusterEvents;
}

/** The informers to follow. */
export interface Followed {
  readonly pods: Informer<core.Pod>;
  readonly nodes: Informer<core.Node>;
  readonly namespaces: Informer<core.Namespace>;
  /** The objects about volumes, with the event that a change of each is. */
  readonly volumes: readonly FollowedVolumes[];
}

/**
 * Connects informers to the cache and the queue. Must be called before the informers run.
 *
 * The cache is always updated before the queue: a pod that an event activates must be decided on the state after that
 * event.
 */
export function followCluster({ pods, nodes, namespaces, volumes }: Followed, followers: Followers): void {
  const { queue } = followers;
  nodes.addHandler(nodeHandler(followers));
  pods.addHandler(podHandler(followers));
  namespaces.addHandler({
    onAdd: () => queue.moveAll(ClusterEvent.Namespace),
    onUpdate: ({ metadata: { labels: before } }, { metadata: { labels } }) => {
      if (JSON.stringify(before) !== JSON.stringify(labels)) queue.moveAll(ClusterEvent.Namespace);
    },
  });
  for (const { informer, event } of volumes)
    informer.addHandler({ onAdd: () => queue.moveAll(event), onUpdate: () => queue.moveAll(event) });
}
