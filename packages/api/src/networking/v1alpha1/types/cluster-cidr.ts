import {
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { NodeSelector } from "../../../core/v1/types/affinity.ts";

const pkg = "networking/v1alpha1";

export const ClusterCIDR = object(pkg, "ClusterCIDR", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ClusterCIDRSpec),
}));
export interface ClusterCIDR extends Infer<typeof ClusterCIDR> {}

export const ClusterCIDRSpec = message(pkg, "ClusterCIDRSpec", () => ({
  nodeSelector: pointer(1, NodeSelector),
  perNodeHostBits: required(2, int32),
  ipv4: value(3, string),
  ipv6: value(4, string),
}));
export interface ClusterCIDRSpec extends Infer<typeof ClusterCIDRSpec> {}

export const ClusterCIDRList = object(pkg, "ClusterCIDRList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterCIDR)),
}));
export interface ClusterCIDRList extends Infer<typeof ClusterCIDRList> {}
