import type { core, storage } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import { bindCompleted, type Claim, classNameOf, type StorageClass, type Volume } from "@orchernetes/component-helpers";
import { claim, type PodBuilder, pod } from "@orchernetes/testkit";
import type { Volumes } from "../volumes/volumes.ts";

/** The objects of a cluster that decisions about volumes read. */
export interface VolumeObjects {
  readonly claims?: readonly Claim[];
  readonly volumes?: readonly Volume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly Stored<storage.CSINode>[];
  readonly csiDrivers?: readonly Stored<storage.CSIDriver>[];
  readonly capacities?: readonly Stored<storage.CSIStorageCapacity>[];
}

/** A view of fixed objects. */
export function volumesOf({
  claims = [],
  volumes = [],
  classes = [],
  csiNodes = [],
  csiDrivers = [],
  capacities = [],
}: VolumeObjects): Volumes {
  const named =
    <T extends Stored<core.Node> | Volume | StorageClass>(all: readonly T[]) =>
    (name: string) =>
      all.find(({ metadata }) => metadata.name === name);
  return {
    claim: (namespace, name) => claims.find((one) => keyOf(one) === `${namespace}/${name}`),
    volume: named(volumes),
    volumesOfClass: (className) => volumes.filter((one) => classNameOf(one) === className),
    storageClass: named(classes),
    csiNode: (name) => csiNodes.find(({ metadata }) => metadata.name === name),
    csiDriver: (name) => csiDrivers.find(({ metadata }) => metadata.name === name),
    capacities: (className) => capacities.filter(({ storageClassName }) => storageClassName === className),
  };
}

/** A claim whose binding is complete. */
export const boundClaim = (name: string, volumeName: string, sketch: Parameters<typeof claim>[1] = {}): Claim =>
  claim(name, { volumeName, annotations: { [bindCompleted]: "yes" }, status: { phase: "Bound" }, ...sketch });

/** A pod of namespace "ns" that uses claims. */
export const podUsing = (...claims: readonly string[]): PodBuilder =>
  pod("p")
    .namespace("ns")
    .spec({ volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) });

/** The affinity of a volume that is accessible from one zone. */
export const inZone = (zone: string): Partial<core.PersistentVolumeSpec> => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] },
  },
});
