import { type Infer, ListMeta, list, ObjectMeta, object, optional, required, value } from "@orchernetes/apimachinery";
import { RoleRef, Subject } from "./common.ts";

const pkg = "rbac/v1";

export const RoleBinding = object(pkg, "RoleBinding", () => ({
  metadata: value(1, ObjectMeta),
  subjects: optional(2, list(Subject)),
  roleRef: required(3, RoleRef),
}));
export interface RoleBinding extends Infer<typeof RoleBinding> {}

export const RoleBindingList = object(pkg, "RoleBindingList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(RoleBinding)),
}));
export interface RoleBindingList extends Infer<typeof RoleBindingList> {}
