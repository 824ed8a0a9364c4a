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

/** Rules that route HTTP requests from outside the cluster to Services, by host and path. Source: KEP-1453. */
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

/** The desired routes. */
export const IngressSpec = message(pkg, "IngressSpec", () => ({
  ingressClassName: pointer(4, string),
  defaultBackend: pointer(1, IngressBackend),
  tls: optional(2, list(IngressTLS)),
  rules: optional(3, list(IngressRule)),
}));
export interface IngressSpec extends Infer<typeof IngressSpec> {}

/** Ends TLS for some hosts. */
export const IngressTLS = message(pkg, "IngressTLS", () => ({
  hosts: optional(1, list(string)),
  secretName: optional(2, string),
}));
export interface IngressTLS extends Infer<typeof IngressTLS> {}

/** What the ingress controller reports. */
export const IngressStatus = message(pkg, "IngressStatus", () => ({
  loadBalancer: value(1, IngressLoadBalancerStatus),
}));
export interface IngressStatus extends Infer<typeof IngressStatus> {}

/** The points of entry of an Ingress. */
export const IngressLoadBalancerStatus = message(pkg, "IngressLoadBalancerStatus", () => ({
  ingress: optional(1, list(IngressLoadBalancerIngress)),
}));
export interface IngressLoadBalancerStatus extends Infer<typeof IngressLoadBalancerStatus> {}

/** A point of entry. */
export const IngressLoadBalancerIngress = message(pkg, "IngressLoadBalancerIngress", () => ({
  ip: optional(1, string),
  hostname: optional(2, string),
  ports: optional(4, list(IngressPortStatus)),
}));
export interface IngressLoadBalancerIngress extends Infer<typeof IngressLoadBalancerIngress> {}

/** State of a port of a point of entry. */
export const IngressPortStatus = message(pkg, "IngressPortStatus", () => ({
  port: required(1, int32),
  protocol: required(2, enumeration("TCP", "UDP", "SCTP")),
  error: required(3, string, { pointer: true }),
}));
export interface IngressPortStatus extends Infer<typeof IngressPortStatus> {}

/** What is done with requests to a host. */
export const IngressRule = message(pkg, "IngressRule", () => ({
  host: optional(1, string),
  ...embed(2, "ingressRuleValue", IngressRuleValue),
}));
export interface IngressRule extends Infer<typeof IngressRule> {}

/** What happens to the requests of a rule. HTTP is the only protocol. */
export const IngressRuleValue = message(pkg, "IngressRuleValue", () => ({
  http: pointer(1, HTTPIngressRuleValue),
}));
export interface IngressRuleValue extends Infer<typeof IngressRuleValue> {}

/** Routes of a host. */
export const HTTPIngressRuleValue = message(pkg, "HTTPIngressRuleValue", () => ({
  paths: required(1, list(HTTPIngressPath)),
}));
export interface HTTPIngressRuleValue extends Infer<typeof HTTPIngressRuleValue> {}

/** Leads the requests below a path to a backend. */
export const HTTPIngressPath = message(pkg, "HTTPIngressPath", () => ({
  path: optional(1, string),
  pathType: required(3, enumeration("Exact", "Prefix", "ImplementationSpecific"), { pointer: true }),
  backend: required(2, IngressBackend),
}));
export interface HTTPIngressPath extends Infer<typeof HTTPIngressPath> {}

/** A target of requests: exactly one of service and resource. */
export const IngressBackend = message(pkg, "IngressBackend", () => ({
  service: pointer(4, IngressServiceBackend),
  resource: pointer(3, TypedLocalObjectReference),
}));
export interface IngressBackend extends Infer<typeof IngressBackend> {}

/** A port of a Service of the same namespace. */
export const IngressServiceBackend = message(pkg, "IngressServiceBackend", () => ({
  name: required(1, string),
  port: value(2, ServiceBackendPort),
}));
export interface IngressServiceBackend extends Infer<typeof IngressServiceBackend> {}

/** A port of a Service, by name or by number: exactly one of them. */
export const ServiceBackendPort = message(pkg, "ServiceBackendPort", () => ({
  name: optional(1, string),
  number: optional(2, int32),
}));
export interface ServiceBackendPort extends Infer<typeof ServiceBackendPort> {}

/**
 * The connections that a set of pods may have. The network plugin of the nodes enforces it.
 *
 * `policyTypes` defaults to `Ingress`, and to `Egress` as well if there are egress rules. `endPort`: KEP-2079; `status`:
 * KEP-2943.
 */
export const NetworkPolicy = object(pkg, "NetworkPolicy", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, NetworkPolicySpec),
  status: value(3, NetworkPolicyStatus),
}));
export interface NetworkPolicy extends Infer<typeof NetworkPolicy> {}

/**
 * The desired rules. A pod that no policy selects for a direction is open in that direction; otherwise only what some policy
 * allows is possible.
 */
export const NetworkPolicySpec = message(pkg, "NetworkPolicySpec", () => ({
  podSelector: required(1, LabelSelector),
  ingress: optional(2, list(NetworkPolicyIngressRule)),
  egress: optional(3, list(NetworkPolicyEgressRule)),
  policyTypes: optional(4, list(enumeration("Ingress", "Egress"))),
}));
export interface NetworkPolicySpec extends Infer<typeof NetworkPolicySpec> {}

/** Allows connections to the pods: from these peers, to these ports. */
export const NetworkPolicyIngressRule = message(pkg, "NetworkPolicyIngressRule", () => ({
  ports: optional(1, list(NetworkPolicyPort)),
  from: optional(2, list(NetworkPolicyPeer)),
}));
export interface NetworkPolicyIngressRule extends Infer<typeof NetworkPolicyIngressRule> {}

/** Allows connections from the pods: to these peers, to these ports. */
export const NetworkPolicyEgressRule = message(pkg, "NetworkPolicyEgressRule", () => ({
  ports: optional(1, list(NetworkPolicyPort)),
  to: optional(2, list(NetworkPolicyPeer)),
}));
export interface NetworkPolicyEgressRule extends Infer<typeof NetworkPolicyEgressRule> {}

/** A port, or a range of ports, that may be used. */
export const NetworkPolicyPort = message(pkg, "NetworkPolicyPort", () => ({
  protocol: pointer(1, enumeration("TCP", "UDP", "SCTP")),
  port: pointer(2, intOrString),
  endPort: pointer(3, int32),
}));
export interface NetworkPolicyPort extends Infer<typeof NetworkPolicyPort> {}

/** A range of addresses with holes. */
export const IPBlock = message(pkg, "IPBlock", () => ({
  cidr: required(1, string),
  except: optional(2, list(string)),
}));
export interface IPBlock extends Infer<typeof IPBlock> {}

/** The other end of a connection: pods by one or both selectors, or addresses, which stand alone. */
export const NetworkPolicyPeer = message(pkg, "NetworkPolicyPeer", () => ({
  podSelector: pointer(1, LabelSelector),
  namespaceSelector: pointer(2, LabelSelector),
  ipBlock: pointer(3, IPBlock),
}));
export interface NetworkPolicyPeer extends Infer<typeof NetworkPolicyPeer> {}

/** What the network plugin says about a policy. */
export const NetworkPolicyStatus = message(pkg, "NetworkPolicyStatus", () => ({
  conditions: optional(1, list(Condition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface NetworkPolicyStatus extends Infer<typeof NetworkPolicyStatus> {}

export const NetworkPolicyList = object(pkg, "NetworkPolicyList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(NetworkPolicy)),
}));
export interface NetworkPolicyList extends Infer<typeof NetworkPolicyList> {}
