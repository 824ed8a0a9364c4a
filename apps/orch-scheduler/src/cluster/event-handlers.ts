import type { core } from "@orchernetes/api";
import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer, ResourceHandler } from "@orchernetes/client";
import type { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import type { SchedulerCache } from "../cache/scheduler-cache.ts";
import { type ClusterChange, podLeft } from "../framework/cluster-change.ts";
import { ClusterEvent, type ClusterEvents } from "../framework/interfaces.ts";
import type { WaitingPods } from "../framework/waiting-pods.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { changesQuietly, nodeChange, nodeChangeLabel, placedPodChange, podChangeMayHelp } from "./cluster-events.ts";

/** The destinations of events. */
export interface Followers {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  /** Whether a profile has this `spec.schedulerName`. */
  readonly responsible: (schedulerName: string) => boolean;
  /** Pods that Permit holds. @default none */
  readonly waiting?: WaitingPods;
}

/** Updates the cache for every relevant change of a node, and reactivates those pods that the change may help. */
function nodeHandler({ cache, queue }: Followers): ResourceHandler<core.Node> {
  return {
    onAdd(node) {
      cache.nodes.setNode(node);
      queue.moveAll({ resource: "Node", events: ClusterEvent.NodeAdded, label: "NodeAdd", now: node });
    },
    onUpdate(old, node) {
      const events = nodeChange(old, node);
      // Heartbeats change nothing that scheduling reads.
      if (events === 0 && !changesQuietly(old, node)) return;
      cache.nodes.setNode(node);
      if (events === 0) return;
      queue.moveAll({ resource: "Node", events, label: nodeChangeLabel(events, old, node), old, now: node });
    },
    onDelete(node) {
      cache.nodes.removeNode(node.metadata.name);
      queue.moveAll({ resource: "Node", events: ClusterEvent.NodeDeleted, label: "NodeDelete", old: node });
    },
  };
}

/**
 * Handles pods. A pod without a node belongs in the queue, one with a node in the cache; a pod changes from one to the
 * other when its binding is observed. Pods of other schedulers are followed only once they have a node, where they use
 * resources.
 */
function podHandler({ cache, queue, nominated, responsible, waiting }: Followers): ResourceHandler<core.Pod> {
  /** A pod that terminates without a node needs none: what is kept for it is released. It stays in the queue until the attempt that skips it. */
  const release = (key: string, { metadata }: Stored<core.Pod>): void => {
    waiting?.get(metadata.uid)?.reject("", "removed");
    nominated.delete(key);
  };
  const placed = (pod: Stored<core.Pod>, node: string): void => {
    const key = keyOf(pod);
    queue.delete(key);
    nominated.delete(key);
    cache.place(pod, node);
    queue.moveAll({ resource: "Pod", events: ClusterEvent.PodAdded, label: "AssignedPodAdd", now: pod });
  };
  return {
    onAdd(pod) {
      if (pod.spec.nodeName) placed(pod, pod.spec.nodeName);
      else if (responsible(pod.spec.schedulerName ?? "")) {
        const info = podInfo(pod);
        // An earlier scheduler may have nominated a node and evicted pods for this one, whose victims are still terminating.
        if (!pod.metadata.deletionTimestamp) nominated.set(info, info.nominatedNodeName);
        queue.add(info);
      }
    },
    onUpdate(old, pod) {
      const { nodeName } = pod.spec;
      if (nodeName && !old.spec.nodeName) {
        placed(pod, nodeName);
        return;
      }
      if (nodeName) {
        const events = placedPodChange(old, pod);
        if (events === undefined) return;
        cache.place(pod, nodeName);
        if (events !== 0) queue.moveAll({ resource: "Pod", events, label: "AssignedPodUpdate", old, now: pod });
        return;
      }
      if (!responsible(pod.spec.schedulerName ?? "")) return;
      const key = keyOf(pod);
      const isTerminating = Boolean(pod.metadata.deletionTimestamp);
      if (isTerminating) release(key, pod);
      // A pod that is bound stays assumed until it is observed on its node.
      if (queue.has(key) || !cache.isAssumed(key, pod.metadata.uid)) {
        const info = podInfo(pod);
        // An update that was sent before the nomination does not revoke it.
        if (!isTerminating && (old.status.nominatedNodeName ?? "") !== info.nominatedNodeName)
          nominated.set(info, info.nominatedNodeName);
        queue.update(info, podChangeMayHelp(old, pod));
      }
    },
    onDelete(pod) {
      const key = keyOf(pod);
      queue.delete(key);
      release(key, pod);
      if (cache.remove(pod)) queue.moveAll(podLeft(pod));
    },
  };
}

/** An informer of objects about volumes. */
export interface FollowedVolumes {
  readonly informer: Informer<ApiObject>;
  readonly resource: Exclude<ClusterChange["resource"], "Node" | "Pod" | "Namespace">;
  /** What an addition or a change may help. */
  readonly event: ClusterEvents;
  /** How metrics name its changes, before `Add` and `Update`. */
  readonly label: string;
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
  const namespace = { resource: "Namespace", events: ClusterEvent.Namespace } as const;
  namespaces.addHandler({
    onAdd: (now) => queue.moveAll({ ...namespace, label: "NamespaceAdd", now }),
    onUpdate(old, now) {
      if (JSON.stringify(old.metadata.labels) !== JSON.stringify(now.metadata.labels))
        queue.moveAll({ ...namespace, label: "NamespaceUpdate", old, now });
    },
  });
  for (const { informer, resource, event: events, label } of volumes) {
    // The resource says what the objects of its informer are.
    const move = (name: string, objects: { readonly old?: ApiObject; readonly now: ApiObject }): void =>
      queue.moveAll({ resource, events, label: name, ...objects } as ClusterChange);
    informer.addHandler({
      onAdd: (now) => move(`${label}Add`, { now }),
      onUpdate: (old, now) => move(`${label}Update`, { old, now }),
    });
  }
}
