import { isDeepStrictEqual } from "node:util";
import { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { addressAt, type IpRange } from "../allocators/ip-range.ts";
import { ensureCreated } from "../post-start/ensure.ts";

/** The service under which the cluster finds its API servers. */
export const clusterService = { namespace: "default", name: "orchernetes" } as const;

/** What that service is made of. */
export interface ClusterServiceOptions {
  readonly serviceRange: IpRange;
  /** Where the servers listen. */
  readonly port: number;
  /** `--orchernetes-service-node-port`; 0: none. */
  readonly nodePort: number;
}

/**
 * Makes service default/orchernetes with the first address of the service range. If it is there, its type and port are
 * brought to what the flags say, and a selector is taken away; its address stays.
 */
export async function publishClusterService(registry: Registry, options: ClusterServiceOptions): Promise<void> {
  const { nodePort, port: targetPort, serviceRange } = options;
  const type = nodePort === 0 ? "ClusterIP" : "NodePort";
  const ports = [
    { name: "https", port: 443, protocol: "TCP" as const, targetPort, ...(nodePort === 0 ? {} : { nodePort }) },
  ];
  try {
    await registry.forDefinition(core.services).update(clusterService, (draft, { spec }) => {
      // With a selector its endpoints would be those of pods.
      const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
      if (spec.type === type && !hasSelector && isDeepStrictEqual(spec.ports, ports)) return false;
      draft.spec.type = type;
      draft.spec.ports = structuredClone(ports);
      delete draft.spec.selector;
      return true;
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const clusterIP = addressAt(serviceRange, 1n);
    await ensureCreated(registry, core.services, {
      metadata: { ...clusterService, labels: { component: "apiserver", provider: "orchernetes" } },
      spec: {
        type,
        clusterIP,
        clusterIPs: [clusterIP],
        ipFamilies: [serviceRange.family],
        ipFamilyPolicy: "SingleStack",
        internalTrafficPolicy: "Cluster",
        ...(nodePort === 0 ? {} : { externalTrafficPolicy: "Cluster" }),
        sessionAffinity: "None",
        ports,
      },
      status: { loadBalancer: {} },
    });
  }
}
