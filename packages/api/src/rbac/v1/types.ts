import {
  type Infer,
  LabelSelector,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "rbac/v1";

/** Allows verbs, either on resources or on paths that belong to no resource. */
export const PolicyRule = message(pkg, "PolicyRule", () => ({
  verbs: required(1, list(string)),
  apiGroups: optional(2, list(string)),
  resources: optional(3, list(string)),
  resourceNames: optional(4, list(string)),
  nonResourceURLs: optional(5, list(string)),
}));
export interface PolicyRule extends Infer<typeof PolicyRule> {}

/** A user, group or service account that gets permissions. */
export const Subject = message(
  pkg,
  "Subject",
  () => ({
    kind: required(1, string),
    apiGroup: optional(2, string),
    name: required(3, string),
    namespace: optional(4, string),
  }),
  { atomic: true },
);
export interface Subject extends Infer<typeof Subject> {}

/** The role that a binding grants. */
export const RoleRef = message(
  pkg,
  "RoleRef",
  () => ({
    apiGroup: required(1, string),
    kind: required(2, string),
    name: required(3, string),
  }),
  { atomic: true },
);
export interface RoleRef extends Infer<typeof RoleRef> {}

/** Permissions within one namespace, granted by a {@link RoleBinding}. Rules only add up: nothing can be denied. */
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

/**
 * Permissions for the whole cluster when a {@link ClusterRoleBinding} grants them, or for one namespace when a {@link
 * RoleBinding} does.
 */
export const ClusterRole = object(pkg, "ClusterRole", () => ({
  metadata: value(1, ObjectMeta),
  /** null without rules. */
  rules: required(2, list(PolicyRule), { pointer: true }),
  aggregationRule: pointer(3, AggregationRule),
}));
export interface ClusterRole extends Infer<typeof ClusterRole> {}

/** Selects the ClusterRoles whose rules are combined into this one. */
export const AggregationRule = message(pkg, "AggregationRule", () => ({
  clusterRoleSelectors: optional(1, list(LabelSelector)),
}));
export interface AggregationRule extends Infer<typeof AggregationRule> {}

export const ClusterRoleList = object(pkg, "ClusterRoleList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterRole)),
}));
export interface ClusterRoleList extends Infer<typeof ClusterRoleList> {}

/** Grants a {@link Role} of its namespace, or a {@link ClusterRole} within its namespace. `roleRef` is immutable. */
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

/** Grants a {@link ClusterRole} in the whole cluster. `roleRef` is immutable. */
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
