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
  value,
} from "@orchernetes/apimachinery";
import { PolicyRule } from "./common.ts";

const pkg = "rbac/v1";

export const ClusterRole = object(pkg, "ClusterRole", () => ({
  metadata: value(1, ObjectMeta),
  /** null without rules. */
  rules: required(2, list(PolicyRule), { pointer: true }),
  aggregationRule: pointer(3, AggregationRule),
}));
export interface ClusterRole extends Infer<typeof ClusterRole> {}

export const AggregationRule = message(pkg, "AggregationRule", () => ({
  clusterRoleSelectors: optional(1, list(LabelSelector)),
}));
export interface AggregationRule extends Infer<typeof AggregationRule> {}

export const ClusterRoleList = object(pkg, "ClusterRoleList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterRole)),
}));
export interface ClusterRoleList extends Infer<typeof ClusterRoleList> {}
