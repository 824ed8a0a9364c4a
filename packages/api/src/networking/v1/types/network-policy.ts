import {
  Condition,
  enumeration,
  type Infer,
  int32,
  intOrString,
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

const pkg = "networking/v1";

export const NetworkPolicy = object(pkg, "NetworkPolicy", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, NetworkPolicySpec),
  status: value(3, NetworkPolicyStatus),
}));
export interface NetworkPolicy extends Infer<typeof NetworkPolicy> {}

export const NetworkPolicySpec = message(pkg, "NetworkPolicySpec", () => ({
  podSelector: required(1, LabelSelector),
  ingress: optional(2, list(NetworkPolicyIngressRule)),
  egress: optional(3, list(NetworkPolicyEgressRule)),
  policyTypes: optional(4, list(enumeration("Ingress", "Egress"))),
}));
export interface NetworkPolicySpec extends Infer<typeof NetworkPolicySpec> {}

export const NetworkPolicyIngressRule = message(pkg, "NetworkPolicyIngressRule", () => ({
  ports: optional(1, list(NetworkPolicyPort)),
  from: optional(2, list(NetworkPolicyPeer)),
}));
export interface NetworkPolicyIngressRule extends Infer<typeof NetworkPolicyIngressRule> {}

export const NetworkPolicyEgressRule = message(pkg, "NetworkPolicyEgressRule", () => ({
  ports: optional(1, list(NetworkPolicyPort)),
  to: optional(2, list(NetworkPolicyPeer)),
}));
export interface NetworkPolicyEgressRule extends Infer<typeof NetworkPolicyEgressRule> {}

export const NetworkPolicyPort = message(pkg, "NetworkPolicyPort", () => ({
  protocol: pointer(1, enumeration("TCP", "UDP", "SCTP")),
  port: pointer(2, intOrString),
  endPort: pointer(3, int32),
}));
export interface NetworkPolicyPort extends Infer<typeof NetworkPolicyPort> {}

export const IPBlock = message(pkg, "IPBlock", () => ({
  cidr: required(1, string),
  except: optional(2, list(string)),
}));
export interface IPBlock extends Infer<typeof IPBlock> {}

export const NetworkPolicyPeer = message(pkg, "NetworkPolicyPeer", () => ({
  podSelector: pointer(1, LabelSelector),
  namespaceSelector: pointer(2, LabelSelector),
  ipBlock: pointer(3, IPBlock),
}));
export interface NetworkPolicyPeer extends Infer<typeof NetworkPolicyPeer> {}

export const NetworkPolicyStatus = message(pkg, "NetworkPolicyStatus", () => ({
  conditions: optional(1, list(Condition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface NetworkPolicyStatus extends Infer<typeof NetworkPolicyStatus> {}

export const NetworkPolicyList = object(pkg, "NetworkPolicyList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(NetworkPolicy)),
}));
export interface NetworkPolicyList extends Infer<typeof NetworkPolicyList> {}
