import type { apps, core, policy, storage } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import type { VolumeCaches } from "../volumes/volumes.ts";
import type { SnapshotObjects } from "./snapshot.ts";

type Read<T extends ApiObject> = { readonly lister: Pick<Lister<T>, "list"> };

/** Where the objects of a snapshot are read. */
interface Readers {
  readonly namespaces: Read<core.Namespace>;
  readonly services: Read<core.Service>;
  readonly controllers: Read<core.ReplicationController>;
  readonly replicaSets: Read<apps.ReplicaSet>;
  readonly statefulSets: Read<apps.StatefulSet>;
  readonly claims: Read<core.PersistentVolumeClaim>;
  readonly persistentVolumes: { readonly lister: Pick<Lister<core.PersistentVolume>, "indexValues"> };
  readonly classes: Read<storage.StorageClass>;
  readonly csiNodes: Read<storage.CSINode>;
  readonly csiDrivers: Read<storage.CSIDriver>;
  readonly capacities: Read<storage.CSIStorageCapacity>;
  readonly budgets: Read<policy.PodDisruptionBudget>;
}

/** The objects that decisions read beside nodes and pods, with the bindings of volumes that are assumed. */
export function snapshotObjects(
  from: Readers,
  caches: Pick<VolumeCaches, "claim" | "volumesOfClass">,
): SnapshotObjects {
  const classNames = from.persistentVolumes.lister.indexValues("storageClass");
  return {
    namespaces: from.namespaces.lister.list(),
    services: from.services.lister.list(),
    replicationControllers: from.controllers.lister.list(),
    replicaSets: from.replicaSets.lister.list(),
    statefulSets: from.statefulSets.lister.list(),
    claims: from.claims.lister
      .list()
      .map((claim) => caches.claim(claim.metadata.namespace ?? "", claim.metadata.name) ?? claim),
    volumes: classNames.flatMap((name) => caches.volumesOfClass(name)),
    classes: from.classes.lister.list(),
    csiNodes: from.csiNodes.lister.list(),
    csiDrivers: from.csiDrivers.lister.list(),
    capacities: from.capacities.lister.list(),
    budgets: from.budgets.lister.list(),
  };
}
