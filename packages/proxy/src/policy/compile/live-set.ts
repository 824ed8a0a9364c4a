import type { Selector } from "@orchernetes/apimachinery";
import {
  distinctSelections,
  type PodSelection,
  portTrait,
  requiredTraits,
  SelectionIndex,
} from "../pods/pod-selection.ts";
import type { PolicyPod } from "../pods/policy-pod.ts";
import type { Address, Family } from "../values/addresses.ts";
import { contentName } from "../values/content-name.ts";
import { type PolicyProtocol, protocolNames } from "../values/protocols.ts";

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
  /** Every pod that has elements in the set is in one of these. */
  readonly selections: readonly PodSelection[];
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

/** More peers are not tried one by one. */
const FEW_PEERS = 8;

/** The set of addresses of pods that any of the peers selects. */
export function peerSet(peers: readonly PodPeer[]): LiveSetSpec {
  const byKey = new Map(peers.map((peer) => [peerKey(peer), peer]));
  const distinct = [...byKey.values()];
  const candidates = peersFor(distinct);
  return {
    name: contentName("peers*", [...byKey.keys()].sort()),
    typeSuffix: "",
    usesNamespaces: distinct.some(({ namespace }) => typeof namespace !== "string"),
    selections: distinctSelections(distinct.map(selectionOf)),
    elementsOf(pod, { text }, namespaces) {
      for (const peer of candidates(pod)) if (isSelected(peer, pod, namespaces)) return [text];
      return [];
    },
  };
}

/** Those of the peers that may select a pod. */
function peersFor(peers: readonly PodPeer[]): (pod: PolicyPod) => Iterable<PodPeer> {
  if (peers.length <= FEW_PEERS) return () => peers;
  const index = new SelectionIndex<PodPeer>();
  for (const peer of peers) index.add(peer, [selectionOf(peer)]);
  return (pod) => index.candidates(pod);
}

const selectionOf = ({ namespace, pods }: PodPeer): PodSelection => ({ namespace, traits: requiredTraits(pods) });

function peerKey({ namespace, pods }: PodPeer): string {
  // The text of a selector is unambiguous, because keys and values are checked when a selector is compiled.
  const where = typeof namespace === "string" ? ["name", namespace] : ["labels", namespace.toString()];
  return JSON.stringify([...where, pods.toString()]);
}

function isSelected(peer: PodPeer, pod: PolicyPod, namespaces: NamespaceLabels): boolean {
  return isSelectedNamespace(peer.namespace, pod.namespace, namespaces) && peer.pods.matches(pod.labels);
}

/** Whether a namespace is that of the name, one that the selector selects, or any. */
export function isSelectedNamespace(
  selected: PodSelection["namespace"],
  name: string,
  namespaces: NamespaceLabels,
): boolean {
  if (selected === undefined) return true;
  if (typeof selected === "string") return name === selected;
  const labels = namespaces(name);
  return labels !== undefined && selected.matches(labels);
}

/** A port that has its number in the pod that is connected to. */
export interface PortName {
  readonly protocol: PolicyProtocol;
  readonly name: string;
}

/** The set of addresses and ports of pods that have container ports with these names. */
export function namedPortSet(names: readonly PortName[]): LiveSetSpec {
  const byKey = new Map(names.map((name) => [portKey(name), name]));
  return {
    name: contentName("named*", [...byKey.keys()].sort()),
    typeSuffix: " . inet_proto . inet_service",
    usesNamespaces: false,
    selections: [
      { namespace: undefined, traits: [...byKey.values()].map((port) => portTrait(port.protocol, port.name)) },
    ],
    elementsOf: (pod, { text }) => [
      ...new Set(
        pod.ports
          .filter((port) => byKey.has(portKey(port)))
          .map(({ protocol, port }) => `${text} . ${protocolNames[protocol]} . ${port}`),
      ),
    ],
  };
}

function portKey({ protocol, name }: PortName): string {
  return `${protocol}/${name}`;
}
