import { core, discovery } from "@orchernetes/api";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { Registry } from "@orchernetes/apiserver";
import { addressAt, type IpRange } from "../allocators/ip-range.ts";
import { isLoopback } from "../config.ts";
import { ensureCreated } from "./ensure.ts";

/** Where clients inside the cluster find this server. */
export interface ClusterServiceOptions {
  readonly serviceRange: IpRange;
  readonly advertiseAddress: string;
  readonly port: number;
}

const NAME = "orchernetes";
const NAMESPACE = "default";
const LABELS = { component: "apiserver", provider: "orchernetes" };

/** Replaces what is stored if it differs; makes it if there is none. */
async function publishEndpoints(registry: Registry, options: ClusterServiceOptions): Promise<void> {
  const store = registry.forDefinition(core.endpoints);
  const ref = { namespace: NAMESPACE, name: NAME };
  const subsets = [
    {
      addresses: [{ ip: options.advertiseAddress }],
      ports: [{ name: "https", port: options.port, protocol: "TCP" as const }],
    },
  ];
  try {
    await store.update(ref, (draft, current) => {
      if (JSON.stringify(current.subsets) === JSON.stringify(subsets)) return false;
      draft.subsets = subsets;
      return true;
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await store
      .create({ metadata: { ...ref, labels: { "endpointslice.orchernetes.io/skip-mirror": "true" } }, subsets })
      .catch((fault: unknown) => {
        if (!isAlreadyExists(fault)) throw fault;
      });
  }
}

async function publishSlice(registry: Registry, options: ClusterServiceOptions): Promise<void> {
  const store = registry.forDefinition(discovery.endpointSlices);
  const ref = { namespace: NAMESPACE, name: NAME };
  const endpoints = [{ addresses: [options.advertiseAddress], conditions: { ready: true } }];
  const ports = [{ name: "https", port: options.port, protocol: "TCP" as const }];
  const addressType = options.advertiseAddress.includes(":") ? ("IPv6" as const) : ("IPv4" as const);
  try {
    await store.update(ref, (draft, current) => {
      if (current.endpoints[0]?.addresses[0] === options.advertiseAddress && current.ports?.[0]?.port === options.port)
        return false;
      draft.endpoints = endpoints;
      draft.ports = ports;
      return true;
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await store
      .create({ metadata: { ...ref, labels: { "orchernetes.io/service-name": NAME } }, addressType, endpoints, ports })
      .catch((fault: unknown) => {
        if (!isAlreadyExists(fault)) throw fault;
      });
  }
}

/** Makes service default/orchernetes with the first address of the service range, and points it at this server, unless only this host can reach it. */
export async function publishClusterService(registry: Registry, options: ClusterServiceOptions): Promise<void> {
  const clusterIP = addressAt(options.serviceRange, 1n);
  await ensureCreated(registry, core.services, {
    metadata: { name: NAME, namespace: NAMESPACE, labels: LABELS },
    spec: {
      type: "ClusterIP",
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: [options.serviceRange.family],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: options.port }],
    },
    status: { loadBalancer: {} },
  });
  if (isLoopback(options.advertiseAddress)) return;
  await publishEndpoints(registry, options);
  await publishSlice(registry, options);
}
