import {
  embed,
  enumeration,
  type Infer,
  int32,
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
import { TypedLocalObjectReference } from "../../../core/v1/types/references.ts";

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
