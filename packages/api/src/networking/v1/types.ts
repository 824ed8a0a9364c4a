import {
  Condition,
  embed,
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
import { TypedLocalObjectReference } from "../../core/v1/types/references.ts";

const pkg = "networking/v1";

export const Ingress = object(pkg, "Ingress", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, IngressSpec),
  status: value(3, IngressStatus),
}));
export interface Ingress extends Infer<typeof Ingress> {}

export const IngressList = object(pkg, "IngressList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Ingress)),
}));
export interface IngressList extends Infer<typeof IngressList> {}

export const IngressSpec = message(pkg, "IngressSpec", () => ({
  ingressClassName: pointer(4, string),
  defaultBackend: pointer(1, IngressBackend),
  tls: optional(2, list(IngressTLS)),
  rules: optional(3, list(IngressRule)),
}));
export interface IngressSpec extends Infer<typeof IngressSpec> {}

export const IngressTLS = message(pkg, "IngressTLS", () => ({
  hosts: optional(1, list(string)),
  secretName: optional(2, string),
}));
export interface IngressTLS extends Infer<typeof IngressTLS> {}

export const IngressStatus = message(pkg, "IngressStatus", () => ({
  loadBalancer: value(1, IngressLoadBalancerStatus),
}));
export interface IngressStatus extends Infer<typeof IngressStatus> {}

export const IngressLoadBalancerStatus = message(pkg, "IngressLoadBalancerStatus", () => ({
  ingress: optional(1, list(IngressLoadBalancerIngress)),
}));
export interface IngressLoadBalancerStatus extends Infer<typeof IngressLoadBalancerStatus> {}

export const IngressLoadBalancerIngress = message(pkg, "IngressLoadBalancerIngress", () => ({
  ip: optional(1, string),
  hostname: optional(2, string),
  ports: optional(4, list(IngressPortStatus)),
}));
export interface IngressLoadBalancerIngress extends Infer<typeof IngressLoadBalancerIngress> {}

export const IngressPortStatus = message(pkg, "IngressPortStatus", () => ({
  port: required(1, int32),
  protocol: required(2, enumeration("TCP", "UDP", "SCTP")),
  error: required(3, string, { pointer: true }),
}));
export interface IngressPortStatus extends Infer<typeof IngressPortStatus> {}

export const IngressRule = message(pkg, "IngressRule", () => ({
  host: optional(1, string),
  ...embed(2, "ingressRuleValue", IngressRuleValue),
}));
export interface IngressRule extends Infer<typeof IngressRule> {}

export const IngressRuleValue = message(pkg, "IngressRuleValue", () => ({
  http: pointer(1, HTTPIngressRuleValue),
}));
export interface IngressRuleValue extends Infer<typeof IngressRuleValue> {}

export const HTTPIngressRuleValue = message(pkg, "HTTPIngressRuleValue", () => ({
  paths: required(1, list(HTTPIngressPath)),
}));
export interface HTTPIngressRuleValue extends Infer<typeof HTTPIngressRuleValue> {}

export const HTTPIngressPath = message(pkg, "HTTPIngressPath", () => ({
  path: optional(1, string),
  pathType: required(3, enumeration("Exact", "Prefix", "ImplementationSpecific"), { pointer: true }),
  backend: required(2, IngressBackend),
}));
export interface HTTPIngressPath extends Infer<typeof HTTPIngressPath> {}

export const IngressBackend = message(pkg, "IngressBackend", () => ({
  service: pointer(4, IngressServiceBackend),
  resource: pointer(3, TypedLocalObjectReference),
}));
export interface IngressBackend extends Infer<typeof IngressBackend> {}

export const IngressServiceBackend = message(pkg, "IngressServiceBackend", () => ({
  name: required(1, string),
  port: value(2, ServiceBackendPort),
}));
export interface IngressServiceBackend extends Infer<typeof IngressServiceBackend> {}

export const ServiceBackendPort = message(pkg, "ServiceBackendPort", () => ({
  name: optional(1, string),
  number: optional(2, int32),
}));
export interface ServiceBackendPort extends Infer<typeof ServiceBackendPort> {}

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
