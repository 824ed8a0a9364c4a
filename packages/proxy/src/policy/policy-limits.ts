import type { networking } from "@orchernetes/api";
import type { LabelSelector } from "@orchernetes/apimachinery";

/**
 * How much of each kind a policy may have, in both directions together. The kernel takes a time that grows with the square of
 * the number of sets, and this process tests each condition of each pod selector with each pod of the cluster: one
 * policy must not keep all others from being enforced.
 */
const policyLimits = {
  /** Rules that name peers: up to seven sets each. Those that name ports only become one set together. */
  "rules with peers": 250,
  /** Selectors and their labels and expressions. */
  "selectors and conditions of selectors": 1_000,
  /** Ports, blocks of addresses and exceptions of blocks: elements of sets. */
  "ports and blocks": 50_000,
} as const;

type Quantity = keyof typeof policyLimits;

/** How much of each kind a policy has. */
export type PolicySize = Readonly<Record<Quantity, number>>;

interface SizedRule {
  readonly peers: readonly networking.NetworkPolicyPeer[] | undefined;
  readonly ports: readonly networking.NetworkPolicyPort[] | undefined;
}

/** Counts what a policy has. */
export function sizeOfPolicy({ podSelector, ingress = [], egress = [] }: networking.NetworkPolicySpec): PolicySize {
  const rules: readonly SizedRule[] = [
    ...ingress.map(({ from, ports }) => ({ peers: from, ports })),
    ...egress.map(({ to, ports }) => ({ peers: to, ports })),
  ];
  let withPeers = 0;
  let conditions = conditionsOf(podSelector);
  let elements = 0;
  for (const { peers = [], ports = [] } of rules) {
    if (peers.length > 0) withPeers++;
    elements += ports.length;
    for (const peer of peers) {
      conditions += conditionsOf(peer.podSelector) + conditionsOf(peer.namespaceSelector);
      if (peer.ipBlock !== undefined) elements += 1 + (peer.ipBlock.except?.length ?? 0);
    }
  }
  return {
    "rules with peers": withPeers,
    "selectors and conditions of selectors": conditions,
    "ports and blocks": elements,
  };
}

/** Says what a policy has too much of; undefined if nothing. */
export function excessOf(size: PolicySize): string | undefined {
  const quantities: readonly Quantity[] = [
    "rules with peers",
    "selectors and conditions of selectors",
    "ports and blocks",
  ];
  const over = quantities.filter((quantity) => size[quantity] > policyLimits[quantity]);
  if (over.length === 0) return undefined;
  const counts = over.map((quantity) => `${size[quantity]} ${quantity}, at most ${policyLimits[quantity]}`);
  return `too large, so that it allows nothing: ${counts.join("; ")}`;
}

/** The work that a policy is, for comparisons: a rule costs the most, an element the least. */
export function weightOf(size: PolicySize): number {
  return 100 * size["rules with peers"] + 10 * size["selectors and conditions of selectors"] + size["ports and blocks"];
}

function conditionsOf(selector: LabelSelector | undefined): number {
  if (selector === undefined) return 0;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return 1 + Object.keys(matchLabels).length + matchExpressions.length;
}
