import {
  bool,
  enumeration,
  type Infer,
  ListMeta,
  list,
  mapOf,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { TopologySelectorTerm } from "../../../core/v1/types/affinity.ts";

const pkg = "storage/v1";

export const StorageClass = object(pkg, "StorageClass", () => ({
  metadata: value(1, ObjectMeta),
  provisioner: required(2, string),
  parameters: optional(3, mapOf(string)),
  reclaimPolicy: pointer(4, enumeration("Recycle", "Delete", "Retain")),
  mountOptions: optional(5, list(string)),
  allowVolumeExpansion: pointer(6, bool),
  volumeBindingMode: pointer(7, enumeration("Immediate", "WaitForFirstConsumer")),
  allowedTopologies: optional(8, list(TopologySelectorTerm)),
}));
export interface StorageClass extends Infer<typeof StorageClass> {}

export const StorageClassList = object(pkg, "StorageClassList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(StorageClass)),
}));
export interface StorageClassList extends Infer<typeof StorageClassList> {}
