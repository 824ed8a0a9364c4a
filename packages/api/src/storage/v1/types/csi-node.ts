import {
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "storage/v1";

export const CSINode = object(pkg, "CSINode", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, CSINodeSpec),
}));
export interface CSINode extends Infer<typeof CSINode> {}

export const CSINodeSpec = message(pkg, "CSINodeSpec", () => ({
  drivers: required(1, list(CSINodeDriver), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
}));
export interface CSINodeSpec extends Infer<typeof CSINodeSpec> {}

export const CSINodeDriver = message(pkg, "CSINodeDriver", () => ({
  name: required(1, string),
  nodeID: required(2, string),
  topologyKeys: pointer(3, list(string)),
  allocatable: pointer(4, VolumeNodeResources),
}));
export interface CSINodeDriver extends Infer<typeof CSINodeDriver> {}

export const VolumeNodeResources = message(pkg, "VolumeNodeResources", () => ({
  count: pointer(1, int32),
}));
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResources> {}

export const CSINodeList = object(pkg, "CSINodeList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CSINode)),
}));
export interface CSINodeList extends Infer<typeof CSINodeList> {}
