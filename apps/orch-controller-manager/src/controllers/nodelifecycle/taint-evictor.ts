import type { core } from "@orchernetes/api";
import { formatTime, isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type Informer, referenceTo } from "@orchernetes/client";
import { isPodTerminal, tolerationPeriodMs } from "@orchernetes/component-helpers";
import type { Clock, Logger, Timer } from "@orchernetes/kernel";
import { pods as podsRef } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { noExecuteTaints } from "./taints.ts";

type Pod = Stored<core.Pod>;

/** Index of pods by node. */
export const nodeIndex = "nodeName";

/** A pod that will be deleted when its toleration expires. */
interface Pending {
  readonly uid: string;
  readonly startedMs: number;
  readonly delayMs: number;
  readonly timer: Timer;
}

/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, at once or after their tolerationSeconds.
 * The time starts when the taint is first observed, and is cancelled when the taint is removed.
 */
export function startTaintEvictor(options: {
  readonly client: Client;
  readonly pods: Informer<core.Pod>;
  readonly nodes: Informer<core.Node>;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): void {
  const { client, pods, nodes, recorder, clock, logger, signal } = options;
  const pending = new Map<string, Pending>();

  const cancel = (key: string, pod?: Pod): void => {
    const known = pending.get(key);
    if (known === undefined) return;
    known.timer.clear();
    pending.delete(key);
    if (pod !== undefined) {
      recorder.event(referenceTo(podsRef, pod), "Normal", "TaintManagerEviction", `Cancelling deletion of Pod ${key}`);
    }
  };

  /** Deletes a pod with the condition DisruptionTarget (KEP-3329). Failures are retried a few times. */
  const evict = async (key: string, uid: string, tries = 0): Promise<void> => {
    pending.delete(key);
    const pod = pods.lister.byKey(key);
    if (signal.aborted || pod === undefined || pod.metadata.uid !== uid) return;
    recorder.event(referenceTo(podsRef, pod), "Normal", "TaintManagerEviction", `Marking for deletion Pod ${key}`);
    const resource = client.resource(podsRef).namespace(pod.metadata.namespace ?? "");
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      lastTransitionTime: formatTime(clock.now()),
    };
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      await resource.patch(pod.metadata.name, patch, { type: "strategic", subresource: "status" });
      await resource.delete(pod.metadata.name, { preconditions: { uid } });
    } catch (error) {
      if (isNotFound(error) || signal.aborted) return;
      logger.error(error, "Evicting a pod failed", { pod: key });
      if (tries < 5) {
        await clock.sleep(10 * 2 ** tries, signal).catch(() => undefined);
        await evict(key, uid, tries + 1);
      }
    }
  };

  /** Schedules, keeps or cancels the deletion of a pod, according to the taints of its node. */
  const consider = (pod: Pod): void => {
    const key = keyOf(pod);
    const node = pod.spec.nodeName ? nodes.lister.get("", pod.spec.nodeName) : undefined;
    const taints = node === undefined ? [] : noExecuteTaints(node);
    if (taints.length === 0 || isPodTerminal(pod) || pod.metadata.deletionTimestamp !== undefined) {
      cancel(key, taints.length === 0 ? pod : undefined);
      return;
    }
    const delayMs = tolerationPeriodMs(pod.spec.tolerations, taints);
    if (delayMs === undefined) {
      cancel(key, pod);
      return;
    }
    const known = pending.get(key);
    const nowMs = clock.monotonicMs();
    if (known?.uid === pod.metadata.uid) {
      // The timer is running already; it is only replaced by an earlier one.
      if (known.startedMs + known.delayMs <= nowMs + delayMs) return;
    }
    known?.timer.clear();
    const { uid } = pod.metadata;
    const timer = clock.setTimeout(() => void evict(key, uid), delayMs);
    pending.set(key, { uid, startedMs: nowMs, delayMs, timer });
  };
  const considerNode = (name: string): void => {
    for (const pod of pods.lister.byIndex(nodeIndex, name)) consider(pod);
  };

  pods.addHandler({
    onAdd: consider,
    onUpdate(old, pod) {
      if (old.spec.nodeName !== pod.spec.nodeName || !semanticEqual(old.spec.tolerations, pod.spec.tolerations))
        consider(pod);
    },
    onDelete: (pod) => cancel(keyOf(pod)),
  });
  nodes.addHandler({
    onAdd: ({ metadata }) => considerNode(metadata.name),
    onUpdate(old, node) {
      if (!semanticEqual(noExecuteTaints(old), noExecuteTaints(node))) considerNode(node.metadata.name);
    },
    onDelete: ({ metadata }) => {
      for (const pod of pods.lister.byIndex(nodeIndex, metadata.name)) cancel(keyOf(pod));
    },
  });
  signal.addEventListener("abort", () => {
    for (const { timer } of pending.values()) timer.clear();
    pending.clear();
  });
}
