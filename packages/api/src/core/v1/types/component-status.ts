import {
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

export const ComponentCondition = message(pkg, "ComponentCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  message: optional(3, string),
  error: optional(4, string),
}));
export interface ComponentCondition extends Infer<typeof ComponentCondition> {}

export const ComponentStatus = object(pkg, "ComponentStatus", () => ({
  metadata: value(1, ObjectMeta),
  conditions: optional(2, list(ComponentCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface ComponentStatus extends Infer<typeof ComponentStatus> {}

export const ComponentStatusList = object(pkg, "ComponentStatusList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ComponentStatus)),
}));
export interface ComponentStatusList extends Infer<typeof ComponentStatusList> {}
