import { type Infer, ListMeta, list, ObjectMeta, object, optional, required, value } from "@orchernetes/apimachinery";
import { RoleRef, Subject } from "./common.ts";

const pkg = "rbac/v1";

export const ClusterRoleBinding = object(pkg, "ClusterRoleBinding", () => ({
  metadata: value(1, ObjectMeta),
  subjects: optional(2, list(Subject)),
  roleRef: required(3, RoleRef),
}));
export interface ClusterRoleBinding extends Infer<typeof ClusterRoleBinding> {}

export const ClusterRoleBindingList = object(pkg, "ClusterRoleBindingList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterRoleBinding)),
}));
export interface ClusterRoleBindingList extends Infer<typeof ClusterRoleBindingList> {}
