import type { core } from "@orchernetes/api";
import { follow } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { persistentVolumes } from "../../shared/refs.ts";
import { changeFinalizer, type Protected, protect } from "./protect.ts";

const finalizer = "orchernetes.io/pv-protection";

/** Delays the deletion of volumes until no claim is bound to them. */
export const pvProtectionController = defineController({
  name: "pv-protection",
  serviceAccount: "pv-protection-controller",
  build(shell) {
    const queue = shell.queue("pvprotection");
    const volumes = shell.informer(persistentVolumes);
    follow(volumes, queue);
    shell.loop({
      queue,
      workers: 1,
      gather(name): Protected<core.PersistentVolume> | undefined {
        const object = volumes.lister.byKey(name);
        return object && { object, isUsed: () => object.status?.phase === "Bound" };
      },
      reconcile: protect(finalizer),
      carryOut: changeFinalizer(shell.context.client, persistentVolumes, finalizer),
    });
  },
});
