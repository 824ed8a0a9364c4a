import { BlockList, isIPv4 } from "node:net";
import type { core, networking } from "@orchernetes/api";
import { labelSelectorAsSelector } from "@orchernetes/apimachinery";

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
  const pod = podWith(world, type === "Egress" ? connection.from : connection.to);
  if (pod === undefined) return true;
  const policies = world.policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.metadata.namespace &&
      labelSelectorAsSelector(spec.podSelector).matches(pod.metadata.labels) &&
      typesOf(spec).includes(type),
  );
  return policies.length === 0 || policies.some((policy) => allowedBy(world, policy, connection, type));
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
): boolean {
  const other = type === "Ingress" ? connection.from : connection.to;
  const rules =
    type === "Ingress"
      ? (spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
  return rules.some(
    ({ peers = [], ports = [] }) =>
      (peers.length === 0 || peers.some((peer) => isPeer(world, peer, metadata.namespace ?? "", other))) &&
      (ports.length === 0 || ports.some((port) => isPort(world, port, connection))),
  );
}

function isPeer(
  world: PolicyWorld,
  { ipBlock, podSelector, namespaceSelector }: networking.NetworkPolicyPeer,
  ownNamespace: string,
  address: string,
): boolean {
  if (ipBlock !== undefined)
    return isInside(ipBlock.cidr, address) && !(ipBlock.except ?? []).some((cidr) => isInside(cidr, address));
  const pod = podWith(world, address);
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
): boolean {
  if (protocol !== connection.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === "number") return connection.port >= port && connection.port <= (endPort ?? port);
  const ports = podWith(world, connection.to)?.spec.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.some(
    (named) => named.name === port && (named.protocol ?? "TCP") === protocol && named.containerPort === connection.port,
  );
}

function podWith({ pods }: PolicyWorld, address: string): core.Pod | undefined {
  return pods.find(
    ({ spec, status }) =>
      spec.hostNetwork !== true &&
      status?.phase !== "Succeeded" &&
      status?.phase !== "Failed" &&
      status?.podIPs?.some(({ ip }) => ip === address),
  );
}

function isInside(cidr: string, address: string): boolean {
  const [network = "", bits] = cidr.split("/");
  if (isIPv4(network) !== isIPv4(address)) return false;
  const list = new BlockList();
  const family = isIPv4(network) ? "ipv4" : "ipv6";
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
