import type { core } from "@orchernetes/api";
import { formatTime, isConflict, isInvalid, isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Informer, referenceTo } from "@orchernetes/client";
import { isPodReady } from "@orchernetes/component-helpers";
import { inOrder, type Plan } from "@orchernetes/controller";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { pods as podsRef } from "../../shared/refs.ts";
import { nodeIndex } from "./taint-evictor.ts";

type Pod = Stored<core.Pod>;
type MarkUnready = { readonly type: "MarkUnready" };

/** Marks pods of unready nodes. */
export interface UnreadyPods {
  /** Marks every ready pod of the node unready; retries until it succeeds or the node is ready again. */
  enqueueNode(name: string): void;
}

/** The pods and the health of their nodes. */
export interface UnreadyPodsOptions {
  /** Indexed by node. */
  readonly pods: Informer<core.Pod>;
  readonly workers: number;
  /** Whether the node is known not to be ready. */
  readonly isUnready: (nodeName: string) => boolean;
}

/**
 * Marks the pods of nodes that are not ready as unready, since their agents cannot. Pods that are bound to such a node
 * later, and those from before this process started, are marked as well.
 */
export function followUnreadyPods(shell: ManagerShell, { pods, workers, isUnready }: UnreadyPodsOptions): UnreadyPods {
  const { client, clock, recorder } = shell.context;
  const queue = shell.queue("node_lifecycle_controller_pods");
  const isConcerned = ({ spec: { nodeName } }: Pod): boolean => Boolean(nodeName) && isUnready(nodeName ?? "");
  const consider = (pod: Pod): void => {
    if (isConcerned(pod)) queue.add(keyOf(pod));
  };
  pods.addHandler({
    onAdd: consider,
    onUpdate(old, pod) {
      if (old.spec.nodeName !== pod.spec.nodeName) consider(pod);
    },
  });
  shell.loop({
    queue,
    workers,
    gather: (key): Pod | undefined => pods.lister.byKey(key),
    reconcile: (pod): Plan<MarkUnready> => {
      return { actions: isPodReady(pod) && isConcerned(pod) ? [{ type: "MarkUnready" }] : [] };
    },
    carryOut: inOrder<MarkUnready, Pod>({
      async MarkUnready(_, pod, key) {
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
      },
    }),
  });
  return {
    enqueueNode(name) {
      for (const pod of pods.lister.byIndex(nodeIndex, name)) if (isPodReady(pod)) queue.add(keyOf(pod));
    },
  };
}
