import type { core } from "@orchernetes/api";
import { formatTime, isConflict, isInvalid, isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type Informer, referenceTo } from "@orchernetes/client";
import { isPodReady, type QueueMetrics, runWorkers, WorkQueue } from "@orchernetes/controller";
import type { Clock, Logger } from "@orchernetes/kernel";
import { pods as podsRef } from "../../shared/refs.ts";
import { nodeIndex } from "./taint-evictor.ts";

export interface UnreadyPods {
  /** Marks every ready pod of the node unready; retries until it succeeds or the node is ready again. */
  enqueueNode(name: string): void;
  run(): Promise<void>;
}

/**
 * Marks the pods of nodes that are not ready as unready, since their agents cannot. Pods that are bound to such a node later, and
 * those from before this process started, are marked as well.
 */
export function createUnreadyPods(options: {
  readonly client: Client;
  readonly pods: Informer<core.Pod>;
  /** Whether the node is known not to be ready. */
  readonly isUnready: (nodeName: string) => boolean;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queueMetrics: QueueMetrics;
  readonly signal: AbortSignal;
}): UnreadyPods {
  const { client, pods, isUnready, recorder, clock, logger, queueMetrics, signal } = options;
  const queue = new WorkQueue({ name: "node_lifecycle_controller_pods", clock, metrics: queueMetrics });

  const consider = (pod: Stored<core.Pod>): void => {
    if (pod.spec.nodeName && isUnready(pod.spec.nodeName)) queue.add(keyOf(pod));
  };
  pods.addHandler({
    onAdd: consider,
    onUpdate(old, pod) {
      if (old.spec.nodeName !== pod.spec.nodeName) consider(pod);
    },
  });

  const sync = async (key: string): Promise<undefined> => {
    const pod = pods.lister.byKey(key);
    if (pod === undefined || !isPodReady(pod) || !pod.spec.nodeName || !isUnready(pod.spec.nodeName)) return;
    const { name, namespace = "", uid } = pod.metadata;
    // One event for all retries.
    if (queue.retries(key) === 0) {
      recorder.event(referenceTo(podsRef, pod), "Warning", "NodeNotReady", "Node is not ready");
    }
    const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
    const patch = { metadata: { uid }, status: { conditions: [condition] } };
    const resource = client.resource(podsRef).namespace(namespace);
    await resource.patch(name, patch, { type: "strategic", subresource: "status" }).catch((error: unknown) => {
      // Invalid or Conflict: another pod has the name by now.
      if (!isNotFound(error) && !isInvalid(error) && !isConflict(error)) throw error;
    });
  };

  return {
    enqueueNode(name) {
      for (const pod of pods.lister.byIndex(nodeIndex, name)) if (isPodReady(pod)) queue.add(keyOf(pod));
    },
    run: () => runWorkers({ name: "nodelifecycle", queue, workers: 8, sync, signal, logger, clock }),
  };
}
