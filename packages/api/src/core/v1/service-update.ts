import type { Draft } from "@orchernetes/apimachinery";
import { share } from "../../shared/drafts.ts";
import { semanticEqual } from "../../shared/immutable.ts";
import {
  isExternallyAccessible,
  needsClusterIP,
  needsHealthCheckNodePort,
  needsNodePort,
} from "./rules/service-type.ts";
import type { ServicePort, ServiceSpec } from "./types/service.ts";

type Spec = Draft<ServiceSpec>;
type Ports = Draft<ServicePort>[];

/** Sets `clusterIPs` from the older `clusterIP`, if a client gives only that. */
export function adoptClusterIPs(spec: Spec): void {
  if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) {
    spec.clusterIPs = [spec.clusterIP];
  }
}

/**
 * Completes an update with what is allocated to the service (upstream: `patchAllocatedValues`,
 * `dropTypeDependentFields`). Allocated values that the client left out stay, and values for which the new type has no
 * use are dropped if the client did not change them: a client that reads a service, changes its type and writes it back
 * need not know which fields belong to which type.
 */
export function prepareServiceUpdate(spec: Spec, old: ServiceSpec): void {
  keepAllocated(spec, old);
  followClusterIP(spec, old);
  dropUnused(spec, old);
}

function keepAllocated(spec: Spec, old: ServiceSpec): void {
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    spec.clusterIP ||= old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && spec.clusterIP === old.clusterIP) {
      spec.clusterIPs = share(old.clusterIPs);
    }
  }
  if (needsNodePort(old) && needsNodePort(spec)) {
    keepNodePorts(spec.ports ?? [], old.ports ?? []);
  }
  if (needsHealthCheckNodePort(old) && needsHealthCheckNodePort(spec)) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

/**
 * A port keeps the node port of the old port with the same name, even if number and protocol change. A node port that the client
 * chose for another port is not reused.
 */
function keepNodePorts(ports: Ports, old: readonly ServicePort[]): void {
  const known = new Map(old.map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  const taken = new Set(ports.map(({ nodePort }) => nodePort));
  for (const port of ports) {
    const before = known.get(port.name ?? "");
    if (!port.nodePort && before && !taken.has(before)) {
      port.nodePort = before;
    }
  }
}

/** Clients that know only `clusterIP` change or clear it alone; the list follows. */
function followClusterIP(spec: Spec, old: ServiceSpec): void {
  const changed = (spec.clusterIP ?? "") !== (old.clusterIP ?? "");
  if (changed && semanticEqual(spec.clusterIPs, old.clusterIPs)) {
    spec.clusterIPs = spec.clusterIP ? [spec.clusterIP] : undefined;
  }
  adoptClusterIPs(spec);
}

function dropUnused(spec: Spec, old: ServiceSpec): void {
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    const same = (spec.clusterIP ?? "") === (old.clusterIP ?? "") && semanticEqual(spec.clusterIPs, old.clusterIPs);
    if (same) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (semanticEqual(spec.ipFamilies, old.ipFamilies)) {
      delete spec.ipFamilies;
    }
    if (spec.ipFamilyPolicy === old.ipFamilyPolicy) {
      delete spec.ipFamilyPolicy;
    }
    if (spec.internalTrafficPolicy === old.internalTrafficPolicy) {
      delete spec.internalTrafficPolicy;
    }
  }
  // A load balancer with allocateLoadBalancerNodePorts: false keeps existing node ports until the client removes them.
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
    const added = (spec.ports ?? []).some(({ nodePort }) => nodePort && !before.has(nodePort));
    if (!added) {
      for (const port of spec.ports ?? []) {
        delete port.nodePort;
      }
    }
  }
  if (needsHealthCheckNodePort(old) && !needsHealthCheckNodePort(spec)) {
    if (spec.healthCheckNodePort === old.healthCheckNodePort) {
      delete spec.healthCheckNodePort;
    }
  }
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) {
      delete spec.loadBalancerClass;
    }
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) {
      delete spec.externalTrafficPolicy;
    }
  }
}
