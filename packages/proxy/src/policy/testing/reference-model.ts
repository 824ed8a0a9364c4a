import { BlockList, isIPv4 } from "node:net";
import type { core, networking } from "@orchernetes/api";
import { keyOf, labelSelectorAsSelector } from "@orchernetes/apimachinery";

/** All that decides whether a connection is allowed. */
export interface PolicyWorld {
  readonly namespaces: readonly core.Namespace[];
  readonly pods: readonly core.Pod[];
  readonly policies: readonly networking.NetworkPolicy[];
}

/** An attempt to connect. Addresses are those that the pods see, after the address of a service was replaced. */
export interface Connection {
  readonly from: string;
  readonly to: string;
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly port: number;
}

/**
 * Whether network policies allow a connection that is forwarded, written from the descriptions of the fields in
 * networking/v1 as plainly as possible: tables are compared with it.
 */
export function allows(world: PolicyWorld, connection: Connection): boolean {
  if (connection.from === connection.to) return true;
  return allowsEnd(world, connection, "Egress") && allowsEnd(world, connection, "Ingress");
}

function allowsEnd(world: PolicyWorld, connection: Connection, type: "Ingress" | "Egress"): boolean {
  const address = type === "Egress" ? connection.from : connection.to;
  // Each node enforces policies for its own pods, whatever other nodes report.
  return [...new Set(world.pods.map(({ spec }) => spec.nodeName ?? ""))].every((node) =>
    allowsPod(world, connection, type, podWith(world, address, node), node),
  );
}

function allowsPod(
  world: PolicyWorld,
  connection: Connection,
  type: "Ingress" | "Egress",
  pod: core.Pod | undefined,
  node: string,
): boolean {
  if (pod === undefined || pod.spec.nodeName !== node) return true;
  const policies = world.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      labelSelectorAsSelector(spec.podSelector).matches(pod.metadata.labels) &&
      typesOf(spec).includes(type),
  );
  return policies.length === 0 || policies.some((policy) => allowedBy(world, policy, connection, type, node));
}

function typesOf({ policyTypes, egress }: networking.NetworkPolicySpec): readonly string[] {
  if (policyTypes !== undefined && policyTypes.length > 0) return policyTypes;
  return egress !== undefined && egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}

function allowedBy(
  world: PolicyWorld,
  { metadata, spec }: networking.NetworkPolicy,
  connection: Connection,
  type: "Ingress" | "Egress",
  node: string,
): boolean {
  const other = type === "Ingress" ? connection.from : connection.to;
  const rules =
    type === "Ingress"
      ? (spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
  return rules.some(
    ({ peers = [], ports = [] }) =>
      (peers.length === 0 || peers.some((peer) => isPeer(world, peer, metadata.namespace ?? "", other, node))) &&
      (ports.length === 0 || ports.some((port) => isPort(world, port, connection, node))),
  );
}

function isPeer(
  world: PolicyWorld,
  { ipBlock, podSelector, namespaceSelector }: networking.NetworkPolicyPeer,
  ownNamespace: string,
  address: string,
  node: string,
): boolean {
  if (ipBlock !== undefined)
    return isInside(ipBlock.cidr, address) && !(ipBlock.except ?? []).some((cidr) => isInside(cidr, address));
  const pod = podWith(world, address, node);
  if (pod === undefined) return false;
  const namespace = world.namespaces.find(({ metadata }) => metadata.name === pod.metadata.namespace);
  const isInNamespace =
    namespaceSelector === undefined
      ? pod.metadata.namespace === ownNamespace
      : namespace !== undefined && labelSelectorAsSelector(namespaceSelector).matches(namespace.metadata.labels);
  return (
    isInNamespace && (podSelector === undefined || labelSelectorAsSelector(podSelector).matches(pod.metadata.labels))
  );
}

function isPort(
  world: PolicyWorld,
  { protocol = "TCP", port, endPort }: networking.NetworkPolicyPort,
  connection: Connection,
  node: string,
): boolean {
  if (protocol !== connection.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === "number") return connection.port >= port && connection.port <= (endPort ?? port);
  const pod = podWith(world, connection.to, node);
  const ports = pod?.spec.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.some(
    (named) => named.name === port && (named.protocol ?? "TCP") === protocol && named.containerPort === connection.port,
  );
}

/**
 * The pod that has an address, as a node sees it: its own pod, else one that is not being deleted, else one of the node
 * whose pod comes first in the world; of several pods of that node the newest.
 */
function podWith({ pods }: PolicyWorld, address: string, node: string): core.Pod | undefined {
  const all = pods.filter(
    ({ spec, status }) =>
      spec.hostNetwork !== true &&
      status?.phase !== "Succeeded" &&
      status?.phase !== "Failed" &&
      status?.podIPs?.some(({ ip }) => ip === address) === true,
  );
  const own = all.filter(({ spec }) => spec.nodeName === node);
  const candidates = own.length > 0 ? own : all;
  const staying = candidates.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const left = staying.length > 0 ? staying : candidates;
  const nodes = all.map(({ spec }) => spec.nodeName);
  const firstNode = nodes.find((name) => left.some(({ spec }) => spec.nodeName === name));
  const age = (pod: core.Pod) => `${pod.metadata.creationTimestamp ?? ""} ${keyOf(pod)}`;
  return left
    .filter(({ spec }) => spec.nodeName === firstNode)
    .sort((a, b) => (age(a) < age(b) ? 1 : -1))
    .at(0);
}

function isInside(cidr: string, address: string): boolean {
  const [network = "", bits] = cidr.split("/");
  if (isIPv4(network) !== isIPv4(address)) return false;
  const list = new BlockList();
  const family = isIPv4(network) ? "ipv4" : "ipv6";
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
