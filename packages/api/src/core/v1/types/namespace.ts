import {
  enumeration,
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
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

export const NamespaceSpec = message(pkg, "NamespaceSpec", () => ({
  finalizers: optional(1, list(string)),
}));
export interface NamespaceSpec extends Infer<typeof NamespaceSpec> {}

export const NamespaceStatus = message(pkg, "NamespaceStatus", () => ({
  phase: optional(1, enumeration("Active", "Terminating")),
  conditions: optional(2, list(NamespaceCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface NamespaceStatus extends Infer<typeof NamespaceStatus> {}

export const NamespaceCondition = message(pkg, "NamespaceCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(4, time),
  reason: optional(5, string),
  message: optional(6, string),
}));
export interface NamespaceCondition extends Infer<typeof NamespaceCondition> {}

export const Namespace = object(pkg, "Namespace", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, NamespaceSpec),
  status: value(3, NamespaceStatus),
}));
export interface Namespace extends Infer<typeof Namespace> {}

export const NamespaceList = object(pkg, "NamespaceList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Namespace)),
}));
export interface NamespaceList extends Infer<typeof NamespaceList> {}
