import {
  type FieldError,
  field,
  isDns1123Subdomain,
  isQualifiedName,
  isValidIP,
  validateLabels,
} from "@orchernetes/apimachinery";
import { report, requireOneOf } from "../../../shared/report.ts";
import { isExternallyAccessible, needsClusterIP, needsHealthCheckNodePort } from "../rules/service-type.ts";
import type { Service, ServiceSpec } from "../types/service.ts";
import { validateNonSpecialIP } from "./addresses.ts";
import { validateClusterIPs, validateClusterIPsUpdate } from "./cluster-ips.ts";
import { validateLoadBalancer } from "./service-load-balancer.ts";
import { validateServicePorts } from "./service-ports.ts";

const path = field("spec");
const types: readonly string[] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities: readonly string[] = ["ClientIP", "None"];
const policies: readonly string[] = ["Cluster", "Local"];
/** One day. */
const maxAffinitySeconds = 86400;
const topologyMode = "service.orchernetes.io/topology-mode";
const topologyHints = "service.orchernetes.io/topology-aware-hints";
/** A load balancer must not expose the port of node agents: their API would be reachable from outside. */
const orchletPort = 10250;

/** Whether the service has no address of its own, as its owner requested (`clusterIP: None`). */
function isHeadless({ clusterIP, clusterIPs }: ServiceSpec): boolean {
  return (clusterIPs?.[0] ?? clusterIP) === "None";
}

/** Validates a service, after addresses and ports have been allocated. */
export function validateService(service: Service): FieldError[] {
  const { spec, status } = service;
  const errors = validateTopologyAnnotations(service);
  const type: string = spec.type ?? "";
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && type !== "ExternalName") {
    errors.push(field.required(path.child("ports")));
  }
  validateByType(spec, errors);
  validateServicePorts(spec, path.child("ports"), errors);
  errors.push(...validateLabels(spec.selector, path.child("selector")));
  validateAffinity(spec, errors);
  validateClusterIPs(spec, path, errors);
  validateExternalIPs(spec, errors);
  if (type === "") {
    errors.push(field.required(path.child("type")));
  } else {
    requireOneOf(errors, type, types, path, "type");
  }
  validateLoadBalancer(service, path, errors);
  validateTrafficPolicies(spec, errors);
  errors.push(...validateIngress(status));
  return errors;
}

/** Validates that the older and the newer name of the annotation have the same value. */
function validateTopologyAnnotations({ metadata }: Service): FieldError[] {
  const mode = metadata.annotations?.[topologyMode];
  const hints = metadata.annotations?.[topologyHints];
  if (mode === undefined || hints === undefined || mode === hints) {
    return [];
  }
  const detail = `must match annotations[${topologyHints}] when both are specified`;
  return [field.invalid(field("metadata", "annotations").key(topologyMode), mode, detail)];
}

/** Validates what depends on the type: an ExternalName has no addresses, and the others need some. */
function validateByType(spec: ServiceSpec, errors: FieldError[]): void {
  const { type } = spec;
  if (type === "LoadBalancer" || type === "NodePort") {
    if (type === "LoadBalancer") {
      for (const [i, { port }] of (spec.ports ?? []).entries()) {
        if (port === orchletPort) {
          const detail = `may not expose port ${orchletPort} externally since it is used by orchlet`;
          errors.push(field.invalid(path.child("ports").index(i), port, detail));
        }
      }
    }
    if (isHeadless(spec)) {
      const detail = `may not be set to 'None' for ${type} services`;
      errors.push(field.invalid(path.child("clusterIPs").index(0), "None", detail));
    }
  }
  if (type === "ExternalName") {
    for (const name of ["clusterIPs", "ipFamilies"] as const) {
      if ((spec[name] ?? []).length > 0) {
        errors.push(field.forbidden(path.child(name), "may not be set for ExternalName services"));
      }
    }
    if (spec.ipFamilyPolicy !== undefined) {
      errors.push(field.forbidden(path.child("ipFamilyPolicy"), "may not be set for ExternalName services"));
    }
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    if (name === "") {
      errors.push(field.required(path.child("externalName")));
    } else {
      report(errors, isDns1123Subdomain(name), path, "externalName", name);
    }
  }
}

/** Validates session affinity; its timeout is at most a day. */
function validateAffinity(spec: ServiceSpec, errors: FieldError[]): void {
  const affinity: string = spec.sessionAffinity ?? "";
  if (affinity === "") {
    errors.push(field.required(path.child("sessionAffinity")));
  } else {
    requireOneOf(errors, affinity, affinities, path, "sessionAffinity");
  }
  const at = path.child("sessionAffinityConfig");
  if (affinity === "None" && spec.sessionAffinityConfig !== undefined) {
    errors.push(field.forbidden(at, "must not be set when session affinity is None"));
  }
  if (affinity !== "ClientIP") {
    return;
  }
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (seconds === undefined) {
    errors.push(field.required(at, "when session affinity type is ClientIP"));
  } else if (seconds <= 0 || seconds > maxAffinitySeconds) {
    const detail = `must be greater than 0 and less than ${maxAffinitySeconds}`;
    errors.push(field.invalid(at.child("clientIP", "timeoutSeconds"), seconds, detail));
  }
}

function validateExternalIPs({ externalIPs = [] }: ServiceSpec, errors: FieldError[]): void {
  for (const [i, ip] of externalIPs.entries()) {
    const at = path.child("externalIPs").index(i);
    const messages = isValidIP(ip);
    errors.push(...messages.map((message) => field.invalid(at, ip, message)));
    if (messages.length === 0) {
      errors.push(...validateNonSpecialIP(ip, at));
    }
  }
}

/**
 * Validates traffic policies: the external one is required for, and limited to, types that are reachable from outside.
 */
function validateTrafficPolicies(spec: ServiceSpec, errors: FieldError[]): void {
  const external: string = spec.externalTrafficPolicy ?? "";
  if (isExternallyAccessible(spec)) {
    if (external === "") {
      errors.push(field.required(path.child("externalTrafficPolicy")));
    } else {
      requireOneOf(errors, external, policies, path, "externalTrafficPolicy");
    }
  } else if (external !== "") {
    const detail = "may only be set for externally-accessible services";
    errors.push(field.invalid(path.child("externalTrafficPolicy"), external, detail));
  }
  if (!needsHealthCheckNodePort(spec) && spec.healthCheckNodePort) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(field.invalid(path.child("healthCheckNodePort"), spec.healthCheckNodePort, detail));
  }
  const { internalTrafficPolicy: internal } = spec;
  if (internal !== undefined) {
    requireOneOf(errors, internal, policies, path, "internalTrafficPolicy");
  } else if (needsClusterIP(spec)) {
    errors.push(field.required(path.child("internalTrafficPolicy")));
  }
}

/**
 * Validates an update of a service. The class of a load balancer is immutable: another controller would not know what
 * the first one created.
 */
export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const errors = validateClusterIPsUpdate(service.spec, old.spec, path);
  const before = old.spec.loadBalancerClass;
  const sameType = service.spec.type === "LoadBalancer" && old.spec.type === "LoadBalancer";
  if (sameType && service.spec.loadBalancerClass !== before) {
    const detail = "may not change once set";
    errors.push(field.invalid(path.child("loadBalancerClass"), service.spec.loadBalancerClass ?? "", detail));
  }
  const check = service.spec.healthCheckNodePort ?? 0;
  const checkBefore = old.spec.healthCheckNodePort ?? 0;
  if (needsHealthCheckNodePort(service.spec) && needsHealthCheckNodePort(old.spec) && check !== checkBefore) {
    errors.push(field.forbidden(path.child("healthCheckNodePort"), "field is immutable"));
  }
  errors.push(...validateService(service));
  return errors;
}

/** Validates a service's status: addresses of the load balancer, and types of conditions. */
export function validateServiceStatus({ status }: Service): FieldError[] {
  const errors = validateIngress(status);
  for (const [i, { type }] of (status.conditions ?? []).entries()) {
    const at = field("status", "conditions").index(i).child("type");
    errors.push(...isQualifiedName(type ?? "").map((message) => field.invalid(at, type ?? "", message)));
  }
  return errors;
}

function validateIngress(status: Service["status"] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { ip, hostname }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const at = field("status", "loadBalancer", "ingress").index(i);
    if (ip && isValidIP(ip).length > 0) {
      errors.push(field.invalid(at.child("ip"), ip, "must be a valid IP address"));
    }
    if (hostname) {
      report(errors, isDns1123Subdomain(hostname), at, "hostname", hostname);
      if (isValidIP(hostname).length === 0) {
        errors.push(field.invalid(at.child("hostname"), hostname, "must be a DNS name, not an IP address"));
      }
    }
  }
  return errors;
}
