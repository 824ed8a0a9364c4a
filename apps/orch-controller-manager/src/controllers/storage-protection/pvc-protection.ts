import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { follow } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { claimIndex, claimIndexers, claimKeysOf } from "../../shared/pod-claims.ts";
import { persistentVolumeClaims, pods as podsRef } from "../../shared/refs.ts";
import { podUsesClaim } from "./pod-uses-claim.ts";
import { changeFinalizer, type Protected, protect } from "./protect.ts";

const finalizer = "orchernetes.io/pvc-protection";

/** Delays the deletion of claims until no pod uses them. */
export const pvcProtectionController = defineController({
  name: "pvc-protection",
  serviceAccount: "pvc-protection-controller",
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("pvcprotection");
    const claims = shell.informer(persistentVolumeClaims);
    const pods = shell.informer(podsRef, claimIndexers);
    follow(claims, queue);
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
    /** Asks the server, because a pod that is not in the cache yet may use the claim. */
    const isUsedSaysServer = async (claim: Stored<core.PersistentVolumeClaim>): Promise<boolean> => {
      const resource = client.resource(podsRef).namespace(claim.metadata.namespace ?? "");
      const { items } = await resource.listAll();
      return items.some((pod) => podUsesClaim(pod, claim));
    };
    shell.loop({
      queue,
      workers: 1,
      gather(key): Protected<core.PersistentVolumeClaim> | undefined {
        const object = claims.lister.byKey(key);
        if (object === undefined) return undefined;
        return { object, isUsed: () => pods.lister.byIndex(claimIndex, key).some((pod) => podUsesClaim(pod, object)) };
      },
      reconcile: protect(finalizer),
      carryOut: changeFinalizer(client, persistentVolumeClaims, finalizer, isUsedSaysServer),
    });
  },
});
