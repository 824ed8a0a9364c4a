import type { core } from "@orchernetes/api";
import { isNotFound, keyOf, type Stored } from "@orchernetes/apimachinery";
import { isPodTerminal, runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { claimIndex, claimIndexers, claimKeysOf } from "../../shared/pod-claims.ts";
import { persistentVolumeClaims, pods as podsRef } from "../../shared/refs.ts";
import { finalizerChange, withFinalizer } from "./finalizer.ts";
import { podUsesClaim } from "./pod-uses-claim.ts";

/** Keeps claims that are deleted until no pod uses them. */
export const pvcProtectionController: ControllerDescriptor = {
  name: "pvc-protection",
  serviceAccount: "pvc-protection-controller",
  enabledByDefault: true,
  start: run,
};

const finalizer = "orchernetes.io/pvc-protection";

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, signal } = context;
  const queue = new WorkQueue({ name: "pvcprotection", clock, metrics: context.queueMetrics });
  const claims = context.informers.informer(persistentVolumeClaims);
  const pods = context.informers.informer(podsRef, claimIndexers);
  claims.addHandler({
    onAdd: (claim) => queue.add(keyOf(claim)),
    onUpdate: (_, claim) => queue.add(keyOf(claim)),
  });
  const released = (pod: Stored<core.Pod>): void => {
    for (const key of claimKeysOf(pod)) queue.add(key);
  };
  pods.addHandler({
    onAdd: (pod) => (isPodTerminal(pod) || !pod.spec.nodeName) && released(pod),
    onUpdate(old, pod) {
      if (old.metadata.uid !== pod.metadata.uid) released(old);
      if (isPodTerminal(pod) || !pod.spec.nodeName || pod.metadata.deletionTimestamp !== undefined) released(pod);
    },
    onDelete: released,
  });

  /** A pod that the cache does not know yet may have come to use the claim: the last word is the server's. */
  const isUsedSaysServer = async (claim: Stored<core.PersistentVolumeClaim>): Promise<boolean> => {
    const { items } = await client
      .resource(podsRef)
      .namespace(claim.metadata.namespace ?? "")
      .listAll();
    return items.some((pod) => podUsesClaim(pod, claim));
  };

  const sync = async (key: string): Promise<undefined> => {
    const claim = claims.lister.byKey(key);
    if (claim === undefined) return;
    const users = (): boolean => pods.lister.byIndex(claimIndex, key).some((pod) => podUsesClaim(pod, claim));
    const change = finalizerChange(claim, finalizer, users);
    if (change === "keep" || (change === "remove" && (await isUsedSaysServer(claim)))) return;
    try {
      await client.resource(persistentVolumeClaims).update(withFinalizer(claim, finalizer, change));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  await Promise.all([claims.waitForSync(signal), pods.waitForSync(signal)]);
  await runWorkers({ name: "pvc-protection", queue, workers: 1, sync, signal, logger, clock });
}
