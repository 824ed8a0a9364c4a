import type { Draft } from "@orchernetes/apimachinery";
import type { Service } from "../types/service.ts";

/** Seconds for which connections of a client stay with one endpoint: three hours. */
const affinitySeconds = 10800;

/**
 * Sets the defaults of a service; idempotent.
 *
 * Some depend on the type: traffic policies and node ports have no meaning for an `ExternalName`. Sources: KEP-2086
 * (`internalTrafficPolicy`), KEP-1864 (`allocateLoadBalancerNodePorts`). Addresses and ports are allocated later, by a write hook.
 */
export function defaultService({ spec }: Draft<Service>): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") {
    delete spec.sessionAffinityConfig;
  } else if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") {
      port.targetPort = port.port;
    }
  }
  const { type } = spec;
  if (type === "NodePort" || type === "LoadBalancer") {
    spec.externalTrafficPolicy ||= "Cluster";
  }
  if (type === "ClusterIP" || type === "NodePort" || type === "LoadBalancer") {
    spec.internalTrafficPolicy ??= "Cluster";
  }
  if (type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
  }
}
