/** The description of the messages against the specification, and the codec against protobufjs's own encoder and decoder. */
import protobuf from "protobufjs";
import { expect, test } from "vitest";
import { controllerService, identityService, nodeService, registrationService } from "./services.ts";

/** What is described here of csi.proto 1.8 and of pluginregistration v1, as protocol buffers have it. */
const proto = `
syntax = "proto3";
message Empty {}
message BlockVolume {}
message MountVolume { string fs_type = 1; repeated string mount_flags = 2; string volume_mount_group = 3; }
message AccessMode {
  enum Mode {
    UNKNOWN = 0; SINGLE_NODE_WRITER = 1; SINGLE_NODE_READER_ONLY = 2; MULTI_NODE_READER_ONLY = 3; MULTI_NODE_SINGLE_WRITER = 4;
    MULTI_NODE_MULTI_WRITER = 5; SINGLE_NODE_SINGLE_WRITER = 6; SINGLE_NODE_MULTI_WRITER = 7;
  }
  Mode mode = 1;
}
message VolumeCapability { oneof access_type { BlockVolume block = 1; MountVolume mount = 2; } AccessMode access_mode = 3; }
message CapacityRange { int64 required_bytes = 1; int64 limit_bytes = 2; }
message Topology { map<string, string> segments = 1; }
message Volume { int64 capacity_bytes = 1; string volume_id = 2; map<string, string> volume_context = 3; repeated Topology accessible_topology = 5; }
message CreateVolumeResponse { Volume volume = 1; }
message ControllerExpandVolumeRequest { string volume_id = 1; CapacityRange capacity_range = 2; map<string, string> secrets = 3; VolumeCapability volume_capability = 4; }
message ControllerPublishVolumeRequest { string volume_id = 1; string node_id = 2; VolumeCapability volume_capability = 3; bool readonly = 4; map<string, string> secrets = 5; map<string, string> volume_context = 6; }
message NodeStageVolumeRequest { string volume_id = 1; map<string, string> publish_context = 2; string staging_target_path = 3; VolumeCapability volume_capability = 4; map<string, string> secrets = 5; map<string, string> volume_context = 6; }
message NodeUnstageVolumeRequest { string volume_id = 1; string staging_target_path = 2; }
message NodePublishVolumeRequest { string volume_id = 1; map<string, string> publish_context = 2; string staging_target_path = 3; string target_path = 4; VolumeCapability volume_capability = 5; bool readonly = 6; map<string, string> secrets = 7; map<string, string> volume_context = 8; }
message NodeUnpublishVolumeRequest { string volume_id = 1; string target_path = 2; }
message NodeExpandVolumeRequest { string volume_id = 1; string volume_path = 2; CapacityRange capacity_range = 3; string staging_target_path = 4; VolumeCapability volume_capability = 5; map<string, string> secrets = 6; }
message NodeGetVolumeStatsRequest { string volume_id = 1; string volume_path = 2; string staging_target_path = 3; }
message VolumeUsage { enum Unit { UNKNOWN = 0; BYTES = 1; INODES = 2; } int64 available = 1; int64 total = 2; int64 used = 3; Unit unit = 4; }
message VolumeCondition { bool abnormal = 1; string message = 2; }
message NodeGetVolumeStatsResponse { repeated VolumeUsage usage = 1; VolumeCondition volume_condition = 2; }
message RPC { enum Type { UNKNOWN = 0; STAGE_UNSTAGE_VOLUME = 1; GET_VOLUME_STATS = 2; EXPAND_VOLUME = 3; VOLUME_CONDITION = 4; SINGLE_NODE_MULTI_WRITER = 5; VOLUME_MOUNT_GROUP = 6; } Type type = 1; }
message NodeServiceCapability { oneof type { RPC rpc = 1; } }
message NodeGetCapabilitiesResponse { repeated NodeServiceCapability capabilities = 1; }
message NodeGetInfoResponse { string node_id = 1; int64 max_volumes_per_node = 2; Topology accessible_topology = 3; }
message GetPluginInfoResponse { string name = 1; string vendor_version = 2; map<string, string> manifest = 3; }
message PluginInfo { string type = 1; string name = 2; string endpoint = 3; repeated string supported_versions = 4; }
message RegistrationStatus { bool plugin_registered = 1; string error = 2; }
`;
const { root } = protobuf.parse(proto);

const capability = {
  mount: { fsType: "ext4", mountFlags: ["ro", "noatime"], volumeMountGroup: "77" },
  accessMode: { mode: "SINGLE_NODE_MULTI_WRITER" },
};
const context = { a: "1", b: "" };

test.each<[string, { encode(value: never): Buffer; decode(bytes: Buffer): object }, object]>([
  [
    "NodeStageVolumeRequest",
    nodeService.nodeStageVolume.request,
    {
      volumeId: "v",
      publishContext: context,
      stagingTargetPath: "/s",
      volumeCapability: capability,
      secrets: { p: "x" },
      volumeContext: context,
    },
  ],
  ["NodeUnstageVolumeRequest", nodeService.nodeUnstageVolume.request, { volumeId: "v", stagingTargetPath: "/s" }],
  [
    "NodePublishVolumeRequest",
    nodeService.nodePublishVolume.request,
    {
      volumeId: "v",
      publishContext: context,
      stagingTargetPath: "/s",
      targetPath: "/t",
      volumeCapability: { block: {}, accessMode: { mode: "MULTI_NODE_READER_ONLY" } },
      readonly: true,
      secrets: { p: "x" },
      volumeContext: context,
    },
  ],
  ["NodeUnpublishVolumeRequest", nodeService.nodeUnpublishVolume.request, { volumeId: "v", targetPath: "/t" }],
  [
    "NodeExpandVolumeRequest",
    nodeService.nodeExpandVolume.request,
    {
      volumeId: "v",
      volumePath: "/t",
      capacityRange: { requiredBytes: 2 ** 40, limitBytes: 2 ** 41 },
      stagingTargetPath: "/s",
      volumeCapability: capability,
      secrets: { p: "x" },
    },
  ],
  [
    "NodeGetVolumeStatsRequest",
    nodeService.nodeGetVolumeStats.request,
    { volumeId: "v", volumePath: "/t", stagingTargetPath: "/s" },
  ],
  [
    "NodeGetVolumeStatsResponse",
    nodeService.nodeGetVolumeStats.response,
    {
      usage: [{ available: 1, total: 2 ** 40, used: 3, unit: "INODES" }],
      volumeCondition: { abnormal: true, message: "m" },
    },
  ],
  [
    "NodeGetCapabilitiesResponse",
    nodeService.nodeGetCapabilities.response,
    { capabilities: [{ rpc: { type: "EXPAND_VOLUME" } }, { rpc: { type: "VOLUME_MOUNT_GROUP" } }] },
  ],
  [
    "NodeGetInfoResponse",
    nodeService.nodeGetInfo.response,
    { nodeId: "n", maxVolumesPerNode: 5, accessibleTopology: { segments: context } },
  ],
  [
    "GetPluginInfoResponse",
    identityService.getPluginInfo.response,
    { name: "n", vendorVersion: "1", manifest: context },
  ],
  [
    "CreateVolumeResponse",
    controllerService.createVolume.response,
    {
      volume: {
        capacityBytes: 5,
        volumeId: "v",
        volumeContext: context,
        accessibleTopology: [{ segments: context }],
      },
    },
  ],
  [
    "ControllerExpandVolumeRequest",
    controllerService.controllerExpandVolume.request,
    {
      volumeId: "v",
      capacityRange: { requiredBytes: 1, limitBytes: 2 },
      secrets: context,
      volumeCapability: capability,
    },
  ],
  [
    "ControllerPublishVolumeRequest",
    controllerService.controllerPublishVolume.request,
    {
      volumeId: "v",
      nodeId: "n",
      volumeCapability: capability,
      readonly: true,
      secrets: context,
      volumeContext: context,
    },
  ],
  [
    "PluginInfo",
    registrationService.getInfo.response,
    { type: "CSIPlugin", name: "n", endpoint: "/e", supportedVersions: ["1.0.0", "1.8.0"] },
  ],
  ["RegistrationStatus", registrationService.notifyRegistrationStatus.request, { pluginRegistered: true, error: "e" }],
])("%s is written and read as the specification has it", (name, codec, value) => {
  const type = root.lookupType(name);
  const theirs = Buffer.from(type.encode(type.fromObject(value)).finish());
  expect(codec.decode(theirs)).toEqual(value);
  expect(type.toObject(type.decode(codec.encode(value as never)), { enums: String, longs: Number })).toEqual(value);
});
