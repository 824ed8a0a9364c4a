/**
 * Messages that several methods of CSI share. Numbers are those of `csi.proto`, version 1.8. Fields that nothing here reads or
 * writes are left out: a reader skips them.
 *
 * @module
 */
import { bool, enumeration, type Infer, int64, list, message, string, stringMap } from "@orchernetes/cri/grpc";

/** How nodes and pods may use a volume at the same time. */
const AccessMode = enumeration(
  "UNKNOWN",
  "SINGLE_NODE_WRITER",
  "SINGLE_NODE_READER_ONLY",
  "MULTI_NODE_READER_ONLY",
  "MULTI_NODE_SINGLE_WRITER",
  "MULTI_NODE_MULTI_WRITER",
  "SINGLE_NODE_SINGLE_WRITER",
  "SINGLE_NODE_MULTI_WRITER",
);

/** How a volume is used. Either `block` or `mount` is present. */
export const VolumeCapability = message({
  block: [1, message({})],
  mount: [
    2,
    message({
      fsType: [1, string],
      mountFlags: [2, list(string)],
      /** Only for drivers with the capability VOLUME_MOUNT_GROUP. */
      volumeMountGroup: [3, string],
    }),
  ],
  accessMode: [3, message({ mode: [1, AccessMode] })],
});
export interface VolumeCapability extends Infer<typeof VolumeCapability> {}

/** Limits of a size in bytes; 0 for none. */
export const CapacityRange = message({ requiredBytes: [1, int64], limitBytes: [2, int64] });

/** Where a node is, or from where a volume can be used. */
export const Topology = message({ segments: [1, stringMap] });

/** A volume that a driver has provisioned. */
export const Volume = message({
  /** 0 if it is not known. */
  capacityBytes: [1, int64],
  volumeId: [2, string],
  volumeContext: [3, stringMap],
  accessibleTopology: [5, list(Topology)],
});
export interface Volume extends Infer<typeof Volume> {}

/** How much of a volume is used, in one unit. */
export const VolumeUsage = message({
  available: [1, int64],
  total: [2, int64],
  used: [3, int64],
  unit: [4, enumeration("UNKNOWN", "BYTES", "INODES")],
});

/** The health of a volume. */
export const VolumeCondition = message({ abnormal: [1, bool], message: [2, string] });

/** What the node service of a driver can do. */
export const NodeCapability = enumeration(
  "UNKNOWN",
  "STAGE_UNSTAGE_VOLUME",
  "GET_VOLUME_STATS",
  "EXPAND_VOLUME",
  "VOLUME_CONDITION",
  "SINGLE_NODE_MULTI_WRITER",
  "VOLUME_MOUNT_GROUP",
);

/** What the controller service of a driver can do. */
export const ControllerCapability = enumeration(
  "UNKNOWN",
  "CREATE_DELETE_VOLUME",
  "PUBLISH_UNPUBLISH_VOLUME",
  "LIST_VOLUMES",
  "GET_CAPACITY",
  "CREATE_DELETE_SNAPSHOT",
  "LIST_SNAPSHOTS",
  "CLONE_VOLUME",
  "PUBLISH_READONLY",
  "EXPAND_VOLUME",
  "LIST_VOLUMES_PUBLISHED_NODES",
  "VOLUME_CONDITION",
  "GET_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
);
