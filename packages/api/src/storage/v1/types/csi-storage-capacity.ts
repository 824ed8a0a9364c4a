import {
  type Infer,
  LabelSelector,
  ListMeta,
  list,
  ObjectMeta,
  object,
  pointer,
  quantity,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "storage/v1";

export const CSIStorageCapacity = object(pkg, "CSIStorageCapacity", () => ({
  metadata: value(1, ObjectMeta),
  nodeTopology: pointer(2, LabelSelector),
  storageClassName: required(3, string),
  capacity: pointer(4, quantity),
  maximumVolumeSize: pointer(5, quantity),
}));
export interface CSIStorageCapacity extends Infer<typeof CSIStorageCapacity> {}

export const CSIStorageCapacityList = object(pkg, "CSIStorageCapacityList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CSIStorageCapacity), { list: "map", keys: ["name"] }),
}));
export interface CSIStorageCapacityList extends Infer<typeof CSIStorageCapacityList> {}
