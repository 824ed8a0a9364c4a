import {
  bool,
  Condition,
  enumeration,
  type Infer,
  int32,
  intOrString,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "core/v1";

/** Details of affinity by the client's IP address. */
export const ClientIPConfig = message(pkg, "ClientIPConfig", () => ({
  timeoutSeconds: pointer(1, int32),
}));
export interface ClientIPConfig extends Infer<typeof ClientIPConfig> {}

/** Details of how connections of a client stay with one endpoint. */
export const SessionAffinityConfig = message(pkg, "SessionAffinityConfig", () => ({
  clientIP: pointer(1, ClientIPConfig),
}));
export interface SessionAffinityConfig extends Infer<typeof SessionAffinityConfig> {}

/** The observed state of a service. */
export const ServiceStatus = message(pkg, "ServiceStatus", () => ({
  loadBalancer: value(1, LoadBalancerStatus),
  conditions: optional(2, list(Condition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface ServiceStatus extends Infer<typeof ServiceStatus> {}

/** Where a load balancer can be reached. */
export const LoadBalancerStatus = message(pkg, "LoadBalancerStatus", () => ({
  ingress: optional(1, list(LoadBalancerIngress)),
}));
export interface LoadBalancerStatus extends Infer<typeof LoadBalancerStatus> {}

/** One entry point of a load balancer. */
export const LoadBalancerIngress = message(pkg, "LoadBalancerIngress", () => ({
  ip: optional(1, string),
  hostname: optional(2, string),
  ports: optional(4, list(PortStatus)),
}));
export interface LoadBalancerIngress extends Infer<typeof LoadBalancerIngress> {}

/** How a service is reached, and which pods are behind it. */
export const ServiceSpec = message(pkg, "ServiceSpec", () => ({
  ports: optional(1, list(ServicePort), { patch: "merge", mergeKey: "port", list: "map", keys: ["port", "protocol"] }),
  selector: optional(2, mapOf(string), { atomic: true }),
  clusterIP: optional(3, string),
  clusterIPs: optional(18, list(string)),
  type: optional(4, enumeration("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")),
  externalIPs: optional(5, list(string)),
  sessionAffinity: optional(7, enumeration("ClientIP", "None")),
  loadBalancerIP: optional(8, string, { deprecated: true }),
  loadBalancerSourceRanges: optional(9, list(string)),
  externalName: optional(10, string),
  externalTrafficPolicy: optional(11, enumeration("Cluster", "Local")),
  healthCheckNodePort: optional(12, int32),
  publishNotReadyAddresses: optional(13, bool),
  sessionAffinityConfig: pointer(14, SessionAffinityConfig),
  ipFamilies: optional(19, list(enumeration("IPv4", "IPv6"))),
  ipFamilyPolicy: pointer(17, enumeration("SingleStack", "PreferDualStack", "RequireDualStack")),
  allocateLoadBalancerNodePorts: pointer(20, bool),
  loadBalancerClass: pointer(21, string),
  internalTrafficPolicy: pointer(22, enumeration("Cluster", "Local")),
}));
export interface ServiceSpec extends Infer<typeof ServiceSpec> {}

/** One port of a service. */
export const ServicePort = message(pkg, "ServicePort", () => ({
  name: optional(1, string),
  protocol: optional(2, enumeration("TCP", "UDP", "SCTP"), { default: "TCP" }),
  appProtocol: pointer(6, string),
  port: required(3, int32),
  targetPort: optional(4, intOrString),
  nodePort: optional(5, int32),
}));
export interface ServicePort extends Infer<typeof ServicePort> {}

/**
 * A stable name and address for a changing set of pods.
 *
 * Defaults: `type` ClusterIP, `sessionAffinity` None, `internalTrafficPolicy` Cluster (KEP-2086). Dual stack: KEP-563;
 * `loadBalancerClass`: KEP-1959.
 */
export const Service = object(pkg, "Service", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ServiceSpec),
  status: value(3, ServiceStatus),
}));
export interface Service extends Infer<typeof Service> {}

export const ServiceList = object(pkg, "ServiceList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Service)),
}));
export interface ServiceList extends Infer<typeof ServiceList> {}

/** The state of one port of a load balancer. */
export const PortStatus = message(pkg, "PortStatus", () => ({
  port: required(1, int32),
  protocol: required(2, enumeration("TCP", "UDP", "SCTP")),
  error: required(3, string, { pointer: true }),
}));
export interface PortStatus extends Infer<typeof PortStatus> {}
