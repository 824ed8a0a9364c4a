import type { Draft } from "@orchernetes/apimachinery";
import type { Service } from "../types/service.ts";

const affinitySeconds = 10800;

/** Fills in what a service leaves open; idempotent. */
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
