import type { core, storage } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { Indexers, Informer } from "@orchernetes/client";
import { type Claim, classNameOf, type StorageClass, type Volume } from "@orchernetes/component-helpers";
import { type AssumeCache, createAssumeCache } from "./assume-cache.ts";

/** The claims, volumes and classes of the cluster as decisions see them: with assumed bindings. */
export interface Volumes {
  claim(namespace: string, name: string): Claim | undefined;
  volume(name: string): Volume | undefined;
  /** The volumes of a class; "" for those without one. */
  volumesOfClass(className: string): readonly Volume[];
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): storage.CSINode | undefined;
  csiDriver(name: string): storage.CSIDriver | undefined;
  /** What storage systems report about the room for volumes of a class. */
  capacities(className: string): readonly storage.CSIStorageCapacity[];
}

/** The informers that {@link Volumes} reads. */
export interface VolumeInformers {
  readonly claims: Informer<core.PersistentVolumeClaim>;
  readonly persistentVolumes: Informer<core.PersistentVolume>;
  readonly classes: Informer<storage.StorageClass>;
  readonly csiNodes: Informer<storage.CSINode>;
  readonly csiDrivers: Informer<storage.CSIDriver>;
  readonly capacities: Informer<storage.CSIStorageCapacity>;
}

/** {@link Volumes} with the caches in which bindings are assumed. */
export interface VolumeCaches extends Volumes {
  readonly claims: AssumeCache<core.PersistentVolumeClaim>;
  readonly persistentVolumes: AssumeCache<core.PersistentVolume>;
  /** Calls the listener for each change of a claim. Returns a function that ends this. */
  onClaimChange(key: string, listener: () => void): () => void;
}

const classIndex = "storageClass";
const volumeIndexers: Indexers<core.PersistentVolume> = { [classIndex]: classNameOf };
const capacityIndexers: Indexers<storage.CSIStorageCapacity> = { [classIndex]: (one) => one.storageClassName };

/** Creates the view. Must be called before the informers start. */
export function createVolumeCaches(informers: VolumeInformers): VolumeCaches {
  const { classes, csiNodes, csiDrivers, capacities } = informers;
  informers.persistentVolumes.addIndexers(volumeIndexers);
  capacities.addIndexers(capacityIndexers);
  const claims = createAssumeCache(informers.claims);
  const persistentVolumes = createAssumeCache(informers.persistentVolumes);
  return {
    claims,
    persistentVolumes,
    claim: (namespace, name) => claims.byKey(`${namespace}/${name}`),
    volume: (name) => persistentVolumes.byKey(name),
    volumesOfClass: (className) => persistentVolumes.byIndex(classIndex, className),
    storageClass: (name) => classes.lister.byKey(name),
    csiNode: (name) => csiNodes.lister.byKey(name),
    csiDriver: (name) => csiDrivers.lister.byKey(name),
    capacities: (className) => capacities.lister.byIndex(classIndex, className),
    onClaimChange: listeners(informers.claims),
  };
}

/** Listeners by key, so that a change concerns only those who wait for that object. */
function listeners<T extends ApiObject>(informer: Informer<T>): VolumeCaches["onClaimChange"] {
  const byKey = new Map<string, Set<() => void>>();
  const call = ({ metadata: { namespace = "", name } }: Stored<T>): void => {
    for (const listener of byKey.get(`${namespace}/${name}`) ?? []) listener();
  };
  informer.addHandler({ onAdd: call, onUpdate: (_, object) => call(object), onDelete: call });
  return (key, listener) => {
    const known = byKey.get(key) ?? new Set();
    byKey.set(key, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0 && byKey.get(key) === known) byKey.delete(key);
    };
  };
}
