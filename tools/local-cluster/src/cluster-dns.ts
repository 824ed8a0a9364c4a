import { Resolver } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { apiRequest } from "./api-probe.ts";
import { applyObject } from "./apply-object.ts";
import { type Claim, claimOnHost } from "./claims.ts";
import { SERVICE_CIDR } from "./daemon-commands.ts";
import type { Layout } from "./layout.ts";
import { canAddLocalNetwork } from "./local-network.ts";
import type { ClusterState, NodeState } from "./state.ts";

/** The domain of the cluster's names. */
const DOMAIN = "cluster.local";

/** Addresses of the service network that are tried in their order; the first is what kubeadm gives to its DNS service. */
const ADDRESSES = Array.from({ length: 16 }, (_, i) => `10.96.0.${10 + i}`);

/** Namespace and name of the service. */
const [NAMESPACE, NAME] = ["orch-system", "orch-dns"];

/**
 * Chooses the address of the cluster's DNS: one that no other cluster of this host serves, or is about to. There is none where this
 * tool may not add addresses to the host; the cluster then has no names.
 */
export async function planDns(
  canAdd = canAddLocalNetwork(),
  present: ReadonlySet<string> = addressesOfHost(),
  claim: Claim = claimOnHost,
): Promise<Pick<ClusterState, "dns">> {
  if (!canAdd) return {};
  for (const address of ADDRESSES)
    if (!present.has(address) && (await claim(`address/${address}`))) return { dns: { address } };
  return {};
}

const addressesOfHost = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)));

/** Fields of the node agents' configuration: what pods find in their resolv.conf. */
export function agentDns({ dns }: ClusterState): object {
  return dns === undefined ? {} : { clusterDNS: [dns.address], clusterDomain: DOMAIN };
}

/** Fields of the configuration of every orch-proxy: the first that runs serves the names, for all nodes of this host. */
export function proxyDns({ dns, nodes }: ClusterState): object {
  if (dns === undefined) return {};
  const podRanges = nodes.map(({ podCidr }) => podCidr).filter((cidr) => !cidr.startsWith("127."));
  return {
    clusterDNS: {
      addresses: [dns.address],
      domain: DOMAIN,
      interface: dnsInterface(nodes),
      reverseRanges: [SERVICE_CIDR, ...podRanges],
      // One daemon answers the pods of all nodes of this host, whatever its own node's range is.
      clients: podRanges,
    },
  };
}

/** A name like those of the nodes' bridges, which have the tag of the cluster. */
const dnsInterface = ([first]: readonly NodeState[]): string => (first?.bridge ?? "").replace(/-\d+$/, "-dns");

const SERVICE_PATH = `/api/v1/namespaces/${NAMESPACE}/services/${NAME}`;

/** Sends a request to the API server. */
type Request = (method: "GET" | "DELETE", path: string) => Promise<{ readonly status: number; readonly body: string }>;

/**
 * Deletes the service of an earlier run of the cluster if it has another address, which another cluster of this host may have by now: the
 * address of a service cannot be changed.
 *
 * @throws Error with the server's answer when that fails
 */
export async function deleteMovedService(address: string, request: Request): Promise<void> {
  const { status, body } = await request("GET", SERVICE_PATH);
  if (status !== 200 || JSON.parse(body).spec?.clusterIP === address) return;
  const deleted = await request("DELETE", SERVICE_PATH);
  if (deleted.status !== 200 && deleted.status !== 404)
    throw new Error(`deleting ${SERVICE_PATH}: the API server answered ${deleted.status}: ${deleted.body}`);
}

/** The service that pods and tools know the DNS by, and its endpoint: the same address, at which the host itself answers. */
function dnsObjects(address: string): readonly (readonly [path: string, object: object])[] {
  const labels = {
    "o8s-app": "orch-dns",
    "orchernetes.io/cluster-service": "true",
    "orchernetes.io/name": "CoreDNS",
    // The address is the host's own: rules for it would lead the packets away.
    "service.orchernetes.io/service-proxy-name": "orch-dns",
  };
  const ports = [
    { name: "dns", protocol: "UDP", port: 53 },
    { name: "dns-tcp", protocol: "TCP", port: 53 },
  ];
  const metadata = { name: NAME, namespace: NAMESPACE, labels };
  return [
    [SERVICE_PATH, { apiVersion: "v1", kind: "Service", metadata, spec: { clusterIP: address, ports } }],
    [
      `/apis/discovery.o8s.io/v1/namespaces/${NAMESPACE}/endpointslices/${NAME}`,
      {
        apiVersion: "discovery.o8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          ...metadata,
          labels: {
            ...labels,
            "orchernetes.io/service-name": NAME,
            "endpointslice.orchernetes.io/managed-by": "local-cluster",
          },
        },
        addressType: "IPv4",
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports,
      },
    ],
  ];
}

/**
 * Creates the service of the cluster's DNS. Idempotent.
 *
 * @param as name of the client certificate to use
 * @throws Error with the server's answer when that fails
 */
export async function applyDns(files: Layout, { port, dns }: ClusterState, as: string): Promise<void> {
  if (dns === undefined) return;
  await deleteMovedService(dns.address, (method, path) => apiRequest(files, port, { method, path, as }));
  for (const [path, object] of dnsObjects(dns.address)) await applyObject(files, port, { path, object, as });
}

/** The address of the DNS, and a remark if pods do not use it: those of the process runtime use the resolver of the host. */
export const dnsSummary = (address: string, nodes: readonly Pick<NodeState, "runtime">[]): string =>
  nodes.some(({ runtime }) => runtime === "process")
    ? `${address} (pods of the process runtime use the resolver of the host instead)`
    : address;

/** Whether the DNS answers for its own service; throws while it does not answer. */
export async function areNamesServed(address: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([address]);
  return (await resolver.resolve4(`${NAME}.${NAMESPACE}.svc.${DOMAIN}`)).includes(address);
}
