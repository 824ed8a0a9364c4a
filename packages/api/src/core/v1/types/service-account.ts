import {
  bool,
  type Infer,
  ListMeta,
  list,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  value,
} from "@orchernetes/apimachinery";
import { LocalObjectReference, ObjectReference } from "./references.ts";

const pkg = "core/v1";

export const ServiceAccount = object(pkg, "ServiceAccount", () => ({
  metadata: value(1, ObjectMeta),
  secrets: optional(2, list(ObjectReference), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
  imagePullSecrets: optional(3, list(LocalObjectReference)),
  automountServiceAccountToken: pointer(4, bool),
}));
export interface ServiceAccount extends Infer<typeof ServiceAccount> {}

export const ServiceAccountList = object(pkg, "ServiceAccountList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ServiceAccount)),
}));
export interface ServiceAccountList extends Infer<typeof ServiceAccountList> {}
