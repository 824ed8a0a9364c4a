import {
  bool,
  bytes,
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

const pkg = "core/v1";

export const ConfigMap = object(pkg, "ConfigMap", () => ({
  metadata: value(1, ObjectMeta),
  immutable: pointer(4, bool),
  data: optional(2, mapOf(string)),
  binaryData: optional(3, mapOf(bytes)),
}));
export interface ConfigMap extends Infer<typeof ConfigMap> {}

export const ConfigMapList = object(pkg, "ConfigMapList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ConfigMap)),
}));
export interface ConfigMapList extends Infer<typeof ConfigMapList> {}
