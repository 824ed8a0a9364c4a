import type { Draft } from "@orchernetes/apimachinery";
import type { ServiceSpec } from "../types/service.ts";

type Spec = Draft<ServiceSpec>;

/** Whether services of this type have cluster IPs. */
export function needsClusterIP({ type }: Pick<ServiceSpec, "type">): boolean {
  return type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer";
}

/** Whether the service needs node ports. */
export function needsNodePort({ type, allocateLoadBalancerNodePorts: allocate }: ServiceSpec | Spec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocate !== false);
}

/**
 * Whether the service needs a node port for health checks of load balancers: with policy `Local`, a node without
 * endpoints of the service must not get its traffic.
 */
export function needsHealthCheckNodePort({ type, externalTrafficPolicy: policy }: ServiceSpec | Spec): boolean {
  return type === "LoadBalancer" && policy === "Local";
}

/** Whether traffic may come from outside the cluster. */
export function isExternallyAccessible({ type }: Pick<ServiceSpec, "type">): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}
