import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/**
 * A node without what identifies its machine, which no decision reads.
 */
export function withoutMachine(node: Stored<core.Node>): Stored<core.Node> {
  const { name, uid, resourceVersion, creationTimestamp, labels } = node.metadata;
  const { allocatable, images } = node.status;
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp, ...(labels && { labels }) },
    spec: node.spec,
    status: { ...(allocatable && { allocatable }), ...(images && { images }) },
  } as Stored<core.Node>;
}

/** A volume without attributes and mount options, in which administrators sometimes write credentials. */
export function withoutAttributes(volume: Stored<core.PersistentVolume>): Stored<core.PersistentVolume> {
  const { mountOptions: _, csi, flexVolume, ...spec } = volume.spec;
  return {
    ...volume,
    spec: {
      ...spec,
      ...(csi && { csi: { driver: csi.driver, volumeHandle: csi.volumeHandle } }),
      ...(flexVolume && { flexVolume: { driver: flexVolume.driver } }),
    },
  };
}

/** A storage class without parameters and mount options. */
export function withoutParameters(storageClass: Stored<storage.StorageClass>): Stored<storage.StorageClass> {
  const { parameters: _, mountOptions: __, ...rest } = storageClass;
  return rest as Stored<storage.StorageClass>;
}
