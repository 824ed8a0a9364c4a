/**
 * The three services of CSI 1.8, and the service by which a plugin of a node introduces itself (`pluginregistration`, version 1).
 *
 * @module
 */
import { bool, type Infer, int64, list, message, string, stringMap, unary } from "@orchernetes/cri/grpc";
import {
  CapacityRange,
  ControllerCapability,
  NodeCapability,
  Topology,
  Volume,
  VolumeCapability,
  VolumeCondition,
  VolumeUsage,
} from "./messages.ts";

const Empty = message({});

/** What a driver is. */
export const identityService = {
  getPluginInfo: unary(Empty, message({ name: [1, string], vendorVersion: [2, string], manifest: [3, stringMap] })),
  probe: unary(Empty, message({ ready: [1, message({ value: [1, bool] })] })),
} as const;

const ControllerPublishVolumeRequest = message({
  volumeId: [1, string],
  nodeId: [2, string],
  volumeCapability: [3, VolumeCapability],
  readonly: [4, bool],
  secrets: [5, stringMap],
  volumeContext: [6, stringMap],
});

/** What a driver does for the cluster: it provisions, attaches and enlarges volumes. */
export const controllerService = {
  createVolume: unary(
    message({
      name: [1, string],
      capacityRange: [2, CapacityRange],
      volumeCapabilities: [3, list(VolumeCapability)],
      parameters: [4, stringMap],
      secrets: [5, stringMap],
    }),
    message({ volume: [1, Volume] }),
  ),
  deleteVolume: unary(message({ volumeId: [1, string], secrets: [2, stringMap] }), Empty),
  controllerPublishVolume: unary(ControllerPublishVolumeRequest, message({ publishContext: [1, stringMap] })),
  controllerUnpublishVolume: unary(
    message({ volumeId: [1, string], nodeId: [2, string], secrets: [3, stringMap] }),
    Empty,
  ),
  controllerGetCapabilities: unary(
    Empty,
    message({ capabilities: [1, list(message({ rpc: [1, message({ type: [1, ControllerCapability] })] }))] }),
  ),
  controllerExpandVolume: unary(
    message({
      volumeId: [1, string],
      capacityRange: [2, CapacityRange],
      secrets: [3, stringMap],
      volumeCapability: [4, VolumeCapability],
    }),
    message({ capacityBytes: [1, int64], nodeExpansionRequired: [2, bool] }),
  ),
} as const;

/** Makes a volume available at a path of the node, once for all pods. */
export const NodeStageVolumeRequest = message({
  volumeId: [1, string],
  publishContext: [2, stringMap],
  stagingTargetPath: [3, string],
  volumeCapability: [4, VolumeCapability],
  secrets: [5, stringMap],
  volumeContext: [6, stringMap],
});
export interface NodeStageVolumeRequest extends Infer<typeof NodeStageVolumeRequest> {}

/** Makes a volume available to a pod. */
export const NodePublishVolumeRequest = message({
  volumeId: [1, string],
  publishContext: [2, stringMap],
  stagingTargetPath: [3, string],
  targetPath: [4, string],
  volumeCapability: [5, VolumeCapability],
  readonly: [6, bool],
  secrets: [7, stringMap],
  volumeContext: [8, stringMap],
});
export interface NodePublishVolumeRequest extends Infer<typeof NodePublishVolumeRequest> {}

/** Where a node is, and what it can use. */
export const NodeGetInfoResponse = message({
  nodeId: [1, string],
  /** 0 for no limit. */
  maxVolumesPerNode: [2, int64],
  accessibleTopology: [3, Topology],
});
export interface NodeGetInfoResponse extends Infer<typeof NodeGetInfoResponse> {}

/** The use and the health of a volume. */
export const NodeGetVolumeStatsResponse = message({
  usage: [1, list(VolumeUsage)],
  volumeCondition: [2, VolumeCondition],
});
export interface NodeGetVolumeStatsResponse extends Infer<typeof NodeGetVolumeStatsResponse> {}

/** What a driver does on a node. */
export const nodeService = {
  nodeStageVolume: unary(NodeStageVolumeRequest, Empty),
  nodeUnstageVolume: unary(message({ volumeId: [1, string], stagingTargetPath: [2, string] }), Empty),
  nodePublishVolume: unary(NodePublishVolumeRequest, Empty),
  nodeUnpublishVolume: unary(message({ volumeId: [1, string], targetPath: [2, string] }), Empty),
  nodeGetVolumeStats: unary(
    message({ volumeId: [1, string], volumePath: [2, string], stagingTargetPath: [3, string] }),
    NodeGetVolumeStatsResponse,
  ),
  nodeExpandVolume: unary(
    message({
      volumeId: [1, string],
      volumePath: [2, string],
      capacityRange: [3, CapacityRange],
      stagingTargetPath: [4, string],
      volumeCapability: [5, VolumeCapability],
      secrets: [6, stringMap],
    }),
    message({ capacityBytes: [1, int64] }),
  ),
  nodeGetCapabilities: unary(
    Empty,
    message({ capabilities: [1, list(message({ rpc: [1, message({ type: [1, NodeCapability] })] }))] }),
  ),
  nodeGetInfo: unary(Empty, NodeGetInfoResponse),
} as const;

/** What a plugin is, and where it is served. */
export const PluginInfo = message({
  /** `CSIPlugin` or `DevicePlugin`. */
  type: [1, string],
  name: [2, string],
  endpoint: [3, string],
  supportedVersions: [4, list(string)],
});
export interface PluginInfo extends Infer<typeof PluginInfo> {}

/** Served by a plugin on a socket in the folder `plugins_registry` of the node's agent, which calls it. */
export const registrationService = {
  getInfo: unary(Empty, PluginInfo),
  notifyRegistrationStatus: unary(message({ pluginRegistered: [1, bool], error: [2, string] }), Empty),
} as const;
