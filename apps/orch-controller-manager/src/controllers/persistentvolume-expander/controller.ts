import { keyOf, quantityOf } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { type Claim, requestOf } from "@orchernetes/component-helpers";
import { inOrder } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { persistentVolumeClaims, persistentVolumes } from "../../shared/refs.ts";
import { type ExpansionAction, type ExpansionState, reconcileExpansion, storageResizer } from "./reconcile.ts";

/** Number of claims that are synced concurrently; as in the original. */
const workers = 10;

const grew = (old: Claim, claim: Claim): boolean =>
  quantityOf(requestOf(claim)).cmp(quantityOf(requestOf(old))) > 0 ||
  quantityOf(claim.status?.capacity?.storage ?? "0").cmp(quantityOf(old.status?.capacity?.storage ?? "0")) > 0;

/**
 * Lets volumes grow with the requests of their claims: names the resizer of a driver that replaced an in-tree volume,
 * announces that an external one is waited for, and expands local paths itself.
 *
 * Source: "Expanding Persistent Volumes Claims" of the documentation.
 */
export const persistentVolumeExpanderController = defineController({
  name: "persistentvolume-expander",
  serviceAccount: "expand-controller",
  eventSource: "volume_expand",
  build(shell) {
    const { client, recorder } = shell.context;
    const queue = shell.queue("volume_expand");
    const claims = shell.informer(persistentVolumeClaims);
    const volumes = shell.informer(persistentVolumes);
    claims.addHandler({
      onAdd: (claim) => queue.add(keyOf(claim)),
      onUpdate: (old, claim) => {
        // A claim that was bound meanwhile may have been enlarged before.
        if (grew(old, claim) || old.status?.phase !== claim.status?.phase) queue.add(keyOf(claim));
      },
    });
    const patchClaim = ({ metadata: { namespace = "", name } }: Claim, body: object) => {
      const resource = client.resource(persistentVolumeClaims).namespace(namespace);
      return resource.patch(name, body, { type: "merge", subresource: "status" });
    };
    shell.loop<ExpansionState, ExpansionAction>({
      queue,
      workers,
      gather(key) {
        const claim = claims.lister.byKey(key);
        return claim && { claim, volume: volumes.lister.byKey(claim.spec.volumeName ?? "") };
      },
      reconcile: reconcileExpansion,
      carryOut: inOrder<ExpansionAction, ExpansionState>({
        Event({ of, reason, message }, { claim }) {
          recorder.event(referenceTo(persistentVolumeClaims, claim), of, reason, message);
        },
        async SetResizer({ resizer, conditions }, { claim }) {
          const metadata = { annotations: { [storageResizer]: resizer } };
          await patchClaim(claim, { metadata, ...(conditions !== undefined && { status: { conditions } }) });
        },
        async UpdateVolume({ patch }, { claim }) {
          await client.resource(persistentVolumes).patch(claim.spec.volumeName ?? "", patch, { type: "merge" });
        },
        async FinishClaim({ status }, { claim }) {
          await patchClaim(claim, { status });
        },
      }),
    });
  },
});
