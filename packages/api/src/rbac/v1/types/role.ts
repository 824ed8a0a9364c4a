import { type Infer, ListMeta, list, ObjectMeta, object, required, value } from "@orchernetes/apimachinery";
import { PolicyRule } from "./common.ts";

const pkg = "rbac/v1";

export const Role = object(pkg, "Role", () => ({
  metadata: value(1, ObjectMeta),
  /** null without rules. */
  rules: required(2, list(PolicyRule), { pointer: true }),
}));
export interface Role extends Infer<typeof Role> {}

export const RoleList = object(pkg, "RoleList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Role)),
}));
export interface RoleList extends Infer<typeof RoleList> {}
