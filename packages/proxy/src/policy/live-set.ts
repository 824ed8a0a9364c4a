import type { Selector } from "@orchernetes/apimachinery";
import type { Address, Family } from "./addresses.ts";
import { contentName } from "./content-name.ts";
import type { PolicyPod } from "./policy-pod.ts";
import { type PolicyProtocol, protocolNames } from "./protocols.ts";

/** The labels of a namespace; undefined while the namespace is not known. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

/** What determines the elements of a set of pods' addresses. There is one set for each family. */
export interface LiveSetSpec {
  /** The name for IPv4 is this with `4` in place of the `*`, that for IPv6 has `6`. */
  readonly name: string;
  /** What follows the type of the address in the type of the set. */
  readonly typeSuffix: string;
  /** Whether elements depend on labels of namespaces. */
  readonly usesNamespaces: boolean;
  /** Whether pods of a namespace can be in the set. */
  concerns(namespace: string, namespaces: NamespaceLabels): boolean;
  /** The elements for an address of a pod; none if the pod is not in the set. */
  elementsOf(pod: PolicyPod, address: Address, namespaces: NamespaceLabels): readonly string[];
}

/** The name of the set for a family. */
export function liveSetName({ name }: LiveSetSpec, family: Family): string {
  return name.replace("*", String(family));
}

/** Pods by their labels, in one namespace by name or in namespaces by their labels. */
export interface PodPeer {
  readonly namespace: string | Selector;
  readonly pods: Selector;
}

/** The set of addresses of pods that any of the peers selects. */
export function peerSet(peers: readonly PodPeer[]): LiveSetSpec {
  const keys = [...new Set(peers.map(peerKey))].sort();
  return {
    name: contentName("peers*", keys),
    typeSuffix: "",
    usesNamespaces: peers.some(({ namespace }) => typeof namespace !== "string"),
    concerns: (namespace, namespaces) => peers.some((peer) => isInNamespace(peer, namespace, namespaces)),
    elementsOf: (pod, { text }, namespaces) => (peers.some((peer) => isSelected(peer, pod, namespaces)) ? [text] : []),
  };
}

function peerKey({ namespace, pods }: PodPeer): string {
  // The text of a selector is unambiguous, because keys and values are checked when a selector is compiled.
  const where = typeof namespace === "string" ? ["name", namespace] : ["labels", namespace.toString()];
  return JSON.stringify([...where, pods.toString()]);
}

function isSelected(peer: PodPeer, pod: PolicyPod, namespaces: NamespaceLabels): boolean {
  return peer.pods.matches(pod.labels) && isInNamespace(peer, pod.namespace, namespaces);
}

function isInNamespace({ namespace }: PodPeer, name: string, namespaces: NamespaceLabels): boolean {
  if (typeof namespace === "string") return name === namespace;
  const labels = namespaces(name);
  return labels !== undefined && namespace.matches(labels);
}

/** A port that has its number in the pod that is connected to. */
export interface PortName {
  readonly protocol: PolicyProtocol;
  readonly name: string;
}

/** The set of addresses and ports of pods that have container ports with these names. */
export function namedPortSet(names: readonly PortName[]): LiveSetSpec {
  const keys = new Set(names.map(portKey));
  return {
    name: contentName("named*", [...keys].sort()),
    typeSuffix: " . inet_proto . inet_service",
    usesNamespaces: false,
    concerns: () => true,
    elementsOf: (pod, { text }) => [
      ...new Set(
        pod.ports
          .filter((port) => keys.has(portKey(port)))
          .map(({ protocol, port }) => `${text} . ${protocolNames[protocol]} . ${port}`),
      ),
    ],
  };
}

function portKey({ protocol, name }: PortName): string {
  return `${protocol}/${name}`;
}
