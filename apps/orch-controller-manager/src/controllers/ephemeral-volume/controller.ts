import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import { flagSection } from "@orchernetes/component";
import { inOrder } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { defineController } from "../../shared/define-controller.ts";
import { claimIndex, claimIndexers } from "../../shared/pod-claims.ts";
import { persistentVolumeClaims as claimsRef, pods as podsRef } from "../../shared/refs.ts";
import { type EphemeralAction, type EphemeralState, reconcile } from "./reconcile.ts";

/** Creates the claims of generic ephemeral volumes; also again if one is deleted while its pod exists. */
export const ephemeralVolumeController = defineController({
  name: "ephemeral-volume",
  serviceAccount: "ephemeral-volume-controller",
  eventSource: "ephemeral_volume",
  flags: flagSection("Ephemeral volume controller", {
    "concurrent-ephemeralvolume-syncs": {
      field: "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of ephemeral volumes that are synced concurrently.",
    },
  }),
  settings: ({ document }) => ({ workers: document.EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs }),
  build(shell, { workers }) {
    const { client, recorder, metrics } = shell.context;
    const attempts = metrics.counter({
      name: "ephemeral_volume_controller_create_total",
      help: "Number of claims of ephemeral volumes that were to be created.",
    });
    const failures = metrics.counter({
      name: "ephemeral_volume_controller_create_failures_total",
      help: "Number of claims of ephemeral volumes that could not be created.",
    });
    const queue = shell.queue("ephemeral_volume");
    const pods = shell.informer(podsRef, claimIndexers);
    const claims = shell.informer(claimsRef);
    const enqueue = (pod: Stored<core.Pod>): void => {
      if (pod.metadata.deletionTimestamp !== undefined) return;
      if (pod.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined)) queue.add(keyOf(pod));
    };
    // Volumes are immutable: updates need no work, and the claims of deleted pods are garbage.
    pods.addHandler({ onAdd: enqueue });
    claims.addHandler({ onDelete: (claim) => pods.lister.byIndex(claimIndex, keyOf(claim)).forEach(enqueue) });

    const report = (pod: Stored<core.Pod>, text: string): void =>
      recorder.event(referenceTo(podsRef, pod), "Warning", "FailedBinding", text);
    shell.loop({
      queue,
      workers,
      gather(key): EphemeralState | undefined {
        const pod = pods.lister.byKey(key);
        return pod && { pod, claimOf: (name) => claims.lister.get(pod.metadata.namespace ?? "", name) };
      },
      reconcile,
      carryOut: inOrder<EphemeralAction, EphemeralState>({
        async CreateClaim({ volume, claim }, { pod }) {
          attempts.inc();
          try {
            await client
              .resource(claimsRef)
              .namespace(pod.metadata.namespace ?? "")
              .create(claim);
          } catch (error) {
            failures.inc();
            report(pod, `ephemeral volume ${volume}: create PVC ${claim.metadata.name}: ${messageOf(error)}`);
            throw error;
          }
        },
        Refuse({ message }, { pod }) {
          report(pod, message);
          throw new Error(message);
        },
      }),
    });
  },
});
