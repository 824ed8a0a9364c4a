import type { storage } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Claim, classNameOf, type StorageClass, type Volume } from "@orchernetes/component-helpers";
import type { Volumes } from "./volumes.ts";

/** The objects of a cluster that decisions about volumes read. */
export interface VolumeObjects {
  readonly claims?: readonly Claim[];
  readonly volumes?: readonly Volume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly Stored<storage.CSINode>[];
  readonly csiDrivers?: readonly Stored<storage.CSIDriver>[];
  readonly capacities?: readonly Stored<storage.CSIStorageCapacity>[];
}

/** A view of objects that do not change. */
export function fixedVolumes(objects: VolumeObjects): Volumes {
  const { claims = [], volumes = [], classes = [], csiNodes = [], csiDrivers = [], capacities = [] } = objects;
  const named = <T extends Stored<{ metadata: object }>>(all: readonly T[]) => {
    const byKey = new Map(all.map((object) => [keyOf(object), object]));
    return (key: string): T | undefined => byKey.get(key);
  };
  const claim = named(claims);
  const ofClass = Map.groupBy(volumes, classNameOf);
  const roomOf = Map.groupBy(capacities, ({ storageClassName }) => storageClassName);
  return {
    claim: (namespace, name) => claim(`${namespace}/${name}`),
    volume: named(volumes),
    volumesOfClass: (className) => ofClass.get(className) ?? [],
    storageClass: named(classes),
    csiNode: named(csiNodes),
    csiDriver: named(csiDrivers),
    capacities: (className) => roomOf.get(className) ?? [],
  };
}
