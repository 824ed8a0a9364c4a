import { formatTime, isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { defineController, type ManagerContext } from "../../shared/define-controller.ts";
import { nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { missingNodes, type PodGcAction, reconcile } from "./reconcile.ts";

/** Period of the garbage collection, as in the original. */
const periodMs = 20_000;

/**
 * Deletes surplus terminated pods, and pods whose node does not exist. It runs periodically over all pods instead of
 * reacting to changes, because the decisions depend on their number and on time.
 *
 * Source: "Garbage collection of Pods" in Pod Lifecycle.
 */
export const podGcController = defineController({
  name: "podgc",
  serviceAccount: "pod-garbage-collector",
  flags: flagSection("Pod GC controller", {
    "terminated-pod-gc-threshold": {
      field: "PodGCController.TerminatedPodGCThreshold",
      type: "int",
      default: 12500,
      help: "Number of terminated pods that may exist before the collector deletes some; 0 or less disables it.",
    },
  }),
  settings: ({ document }) => ({ terminatedThreshold: document.PodGCController.TerminatedPodGCThreshold }),
  build(shell, { terminatedThreshold }) {
    const { client, clock } = shell.context;
    const pods = shell.informer(podsRef);
    const nodes = shell.informer(nodesRef);
    let missingSince: ReadonlyMap<string, number> = new Map();
    const collect = async (): Promise<void> => {
      const now = clock.now();
      const seen = { pods: pods.lister.list(), nodes: nodes.lister.list() };
      missingSince = missingNodes(seen.pods, seen.nodes, missingSince, now);
      const plan = reconcile({ ...seen, missingSince, terminatedThreshold }, now);
      const known = new Map<string, Promise<boolean>>();
      for (const action of plan.actions) {
        if (action.node !== undefined) {
          const exists = known.get(action.node) ?? nodeExists(client, action.node).catch(() => true);
          known.set(action.node, exists);
          if (await exists) continue;
        }
        await removePod(shell.context, action);
      }
    };
    shell.every(periodMs, collect, { atOnce: true });
  },
});

/** Whether the node exists on the server: the cache may lag. */
async function nodeExists(client: Client, name: string): Promise<boolean> {
  try {
    await client.resource(nodesRef).get(name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function removePod({ client, clock, logger }: ManagerContext, { pod, reason, node }: PodGcAction): Promise<void> {
  const { name, namespace = "", uid } = pod.metadata;
  const resource = client.resource(podsRef).namespace(namespace);
  logger.info("Deleting a pod", { pod: `${namespace}/${name}`, reason });
  try {
    if (!isPodTerminal(pod)) {
      const lost = {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByPodGC",
        message: node === undefined ? `PodGC: ${reason}` : "PodGC: node no longer exists",
        lastTransitionTime: formatTime(clock.now()),
      };
      const status = { phase: "Failed", ...(node === undefined ? {} : { conditions: [lost] }) };
      await resource.patch(name, { metadata: { uid }, status }, { type: "strategic", subresource: "status" });
    }
    await resource.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) logger.error(error, "Deleting a pod failed", { pod: `${namespace}/${name}` });
  }
}
