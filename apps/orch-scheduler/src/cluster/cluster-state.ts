import { apps, core, policy, storage } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { type Client, createInformer, type Informer, type Lister, type ResourceRef } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";
import { slimBindable } from "../cache/slim-bindable.ts";
import { ClusterEvent } from "../framework/interfaces.ts";
import type { ClusterState } from "../plugin-handle.ts";
import type { SnapshotObjects } from "../snapshot/snapshot.ts";
import { snapshotObjects } from "../snapshot/snapshot-objects.ts";
import { createVolumeCaches, type VolumeCaches } from "../volumes/volumes.ts";
import type { FollowedVolumes } from "./event-handlers.ts";
import { selectorsBy } from "./workload-selectors.ts";

/** What plugins read; the reserving of volumes is added to it. */
type ReadState = Omit<ClusterState, "reserveVolumes">;

/** The objects that plugins read apart from nodes and pods, and their informers. */
export interface FollowedCluster {
  readonly state: ReadState;
  /** The caches in which bindings of volumes are assumed. */
  readonly volumeCaches: VolumeCaches;
  /** Objects whose changes may make pods with claims schedulable. */
  readonly volumes: readonly FollowedVolumes[];
  readonly namespaces: Informer<core.Namespace>;
  /** All objects, as decisions see them in this turn of the event loop. */
  readonly objects: () => SnapshotObjects;
  /** Increases with each change of these objects. */
  readonly revision: () => number;
  /** All informers. They must be synced before anything is scheduled. */
  readonly informers: readonly Informer<ApiObject>[];
}

/**
 * Metadata without the fields that no plugin reads: above all annotations and managed fields, which make up most of an object's
 * size. The informer keeps only the transformed object.
 */
const slimMeta = ({
  name,
  namespace,
  uid,
  resourceVersion,
  creationTimestamp,
  labels,
  deletionTimestamp,
}: Stored<ApiObject>["metadata"]) => ({
  name,
  uid,
  resourceVersion,
  creationTimestamp,
  ...(namespace !== undefined && { namespace }),
  ...(labels !== undefined && { labels }),
  ...(deletionTimestamp !== undefined && { deletionTimestamp }),
});

type Selecting = { readonly spec: { readonly selector?: unknown }; readonly metadata: Stored<ApiObject>["metadata"] };

/** Transforms a workload or service: keeps its identity, its labels and its selector. */
const slimSelector = <T extends ApiObject>({ metadata, spec }: Selecting): Stored<T> =>
  ({
    metadata: slimMeta(metadata),
    spec: spec.selector === undefined ? {} : { selector: spec.selector },
    status: {},
  }) as unknown as Stored<T>;

/** Transforms an object: keeps its spec and status, and reduces its metadata. */
const slim = <T extends ApiObject>(object: Stored<T>): Stored<T> => ({
  ...object,
  metadata: slimMeta(object.metadata),
});

/** An informer per kind, each of which keeps only the fields that plugins read. */
function informersOf(client: Client, logger: Logger) {
  const informer = <T extends ApiObject>(ref: ResourceRef<T>, transform: (object: Stored<T>) => Stored<T>) =>
    createInformer<T>(client, ref, { logger, transform });
  return {
    namespaces: informer<core.Namespace>(core.namespaces, slim),
    services: informer<core.Service>(core.services, slimSelector),
    controllers: informer<core.ReplicationController>(core.replicationControllers, slimSelector),
    replicaSets: informer<apps.ReplicaSet>(apps.replicaSets, slimSelector),
    statefulSets: informer<apps.StatefulSet>(apps.statefulSets, slimSelector),
    claims: informer<core.PersistentVolumeClaim>(core.persistentVolumeClaims, slimBindable),
    persistentVolumes: informer<core.PersistentVolume>(core.persistentVolumes, slimBindable),
    classes: informer<storage.StorageClass>(storage.storageClasses, slim),
    csiNodes: informer<storage.CSINode>(storage.csiNodes, slimBindable),
    csiDrivers: informer<storage.CSIDriver>(storage.csiDrivers, slim),
    capacities: informer<storage.CSIStorageCapacity>(storage.csiStorageCapacities, slim),
    budgets: informer<policy.PodDisruptionBudget>(policy.podDisruptionBudgets, slim),
  };
}

type Informers = ReturnType<typeof informersOf>;

/** The namespaces as plugins read them. */
export const namespacesOf = (lister: Pick<Lister<core.Namespace>, "get" | "list">): ClusterState["namespaces"] => ({
  labels: (name) => lister.get("", name)?.metadata.labels,
  matching: (selector) =>
    lister
      .list()
      .filter(({ metadata }) => selector.matches(metadata.labels))
      .map(({ metadata }) => metadata.name),
});

/** The informers about volumes, with their events. */
function followedVolumes(informers: Informers): readonly FollowedVolumes[] {
  const { claims, persistentVolumes, classes, csiNodes, csiDrivers, capacities } = informers;
  const followed = [
    [claims, "PersistentVolumeClaim", ClusterEvent.Claim, "Pvc"],
    [persistentVolumes, "PersistentVolume", ClusterEvent.PersistentVolume, "Pv"],
    [classes, "StorageClass", ClusterEvent.StorageClass, "StorageClass"],
    [csiNodes, "CSINode", ClusterEvent.CsiNode, "CSINode"],
    [csiDrivers, "CSIDriver", ClusterEvent.CsiDriver, "CSIDriver"],
    [capacities, "CSIStorageCapacity", ClusterEvent.CsiStorageCapacity, "CSIStorageCapacity"],
  ] as const;
  return followed.map(([informer, resource, event, label]) => ({
    informer: informer as unknown as Informer<ApiObject>,
    resource,
    event,
    label,
  }));
}

/** Counts the changes of objects. */
function countChanges(informers: readonly Informer<ApiObject>[]): () => number {
  let changes = 0;
  const count = (): void => {
    changes++;
  };
  for (const informer of informers) informer.addHandler({ onAdd: count, onUpdate: count, onDelete: count });
  return () => changes;
}

/**
 * Creates the informers of the objects that plugins need, and the view of them that plugins read.
 *
 * Nothing is requested before the informers are started. Reads are served from memory, without requests, and may be slightly out of
 * date.
 *
 * @param client for the lists and watches of the informers
 * @param logger of the informers
 * @param random random numbers in [0, 1), for ties between nodes; tests pass a fixed sequence
 */
export function followState(client: Client, logger: Logger, random: () => number): FollowedCluster {
  const informers = informersOf(client, logger);
  const { namespaces, services, controllers, replicaSets, statefulSets, budgets } = informers;
  const volumeCaches = createVolumeCaches(informers);
  const volumes = followedVolumes(informers);
  return {
    state: {
      namespaces: namespacesOf(namespaces.lister),
      volumes: volumeCaches,
      budgets: (namespace) => budgets.lister.list(namespace),
      selectorOf: selectorsBy(informers),
      random,
    },
    volumeCaches,
    volumes,
    namespaces,
    objects: () => snapshotObjects(informers, volumeCaches),
    revision: countChanges(Object.values(informers) as unknown as readonly Informer<ApiObject>[]),
    informers: [
      namespaces,
      services,
      controllers,
      replicaSets,
      statefulSets,
      ...volumes.map(({ informer }) => informer),
      budgets,
    ] as unknown as readonly Informer<ApiObject>[],
  };
}
