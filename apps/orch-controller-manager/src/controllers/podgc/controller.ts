import { formatTime, isNotFound } from "@orchernetes/apimachinery";
import { isPodTerminal } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { nodes as nodesRef, pods as podsRef } from "../../shared/refs.ts";
import { missingNodes, type PodGcAction, reconcile } from "./reconcile.ts";

const periodMs = 20_000;

/** Removes pods that ended long ago, or whose node is gone. */
export const podGcController: ControllerDescriptor = {
  name: "podgc",
  serviceAccount: "pod-garbage-collector",
  enabledByDefault: true,
  start: run,
};

async function run({ client, clock, config, informers, logger, signal }: ControllerContext): Promise<void> {
  const pods = informers.informer(podsRef);
  const nodes = informers.informer(nodesRef);
  let missingSince: ReadonlyMap<string, number> = new Map();

  const nodeExists = async (name: string): Promise<boolean> => {
    try {
      await client.resource(nodesRef).get(name);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  const act = async ({ pod, reason, node }: PodGcAction): Promise<void> => {
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
  };

  await Promise.all([pods.waitForSync(signal), nodes.waitForSync(signal)]);
  while (!signal.aborted) {
    const now = clock.now();
    const all = pods.lister.list();
    missingSince = missingNodes(all, nodes.lister.list(), missingSince, now);
    const plan = reconcile(
      { pods: all, nodes: nodes.lister.list(), missingSince, terminatedThreshold: config.terminatedPodGcThreshold },
      now,
    );
    const absent = new Map<string, Promise<boolean>>();
    for (const action of plan.actions) {
      if (action.node !== undefined) {
        const known = absent.get(action.node) ?? nodeExists(action.node).catch(() => true);
        absent.set(action.node, known);
        if (await known) continue;
      }
      await act(action);
    }
    await clock.sleep(periodMs, signal).catch(() => undefined);
  }
}
