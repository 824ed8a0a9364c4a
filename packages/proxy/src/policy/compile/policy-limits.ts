import type { networking } from "@orchernetes/api";
import type { LabelSelector } from "@orchernetes/apimachinery";

type Quantity = "rules with peers" | "selectors, labels and values" | "ports and blocks";

/** How much of each kind a policy has. */
export type PolicySize = Readonly<Record<Quantity, number>>;

/**
 * How much of each kind a policy may have, in both directions together. The kernel takes a time that grows with the square of
 * the number of sets, and this process tests each condition of each pod selector with each pod of the cluster: one
 * policy must not keep all others from being enforced.
 */
export const policyLimits: PolicySize = {
  /** Rules that name peers: up to seven sets each. Those that name ports only become one set together. */
  "rules with peers": 250,
  /** Selectors, their labels and the values of their expressions; see {@link UNINDEXED_FACTOR}. */
  "selectors, labels and values": 1_000,
  /** Ports, blocks of addresses and exceptions of blocks: elements of sets. */
  "ports and blocks": 50_000,
};

/** How much the policies of a namespace may have together that select pods of a node. */
export interface NamespaceLimits {
  readonly policies: PolicySize;
  /** Elements of the sets of pods' addresses. Equal sets count once. */
  readonly addresses: number;
}

/** What is enforced unless something else is asked for. */
export const defaultNamespaceLimits: NamespaceLimits = {
  policies: {
    "rules with peers": 1_000,
    "selectors, labels and values": 4_000,
    "ports and blocks": 100_000,
  },
  addresses: 500_000,
};

/** Selectors that require no label are tested with all pods, others only with those that have the label. */
const UNINDEXED_FACTOR = 10;

interface SizedRule {
  readonly peers: readonly networking.NetworkPolicyPeer[] | undefined;
  readonly ports: readonly networking.NetworkPolicyPort[] | undefined;
}

/** The size of no policy. */
export const noPolicies: PolicySize = {
  "rules with peers": 0,
  "selectors, labels and values": 0,
  "ports and blocks": 0,
};

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
      conditions += conditionsOf(peer.namespaceSelector);
      conditions += conditionsOf(peer.podSelector) * (isUnindexed(peer.podSelector) ? UNINDEXED_FACTOR : 1);
      if (peer.ipBlock !== undefined) elements += 1 + (peer.ipBlock.except?.length ?? 0);
    }
  }
  return {
    "rules with peers": withPeers,
    "selectors, labels and values": conditions,
    "ports and blocks": elements,
  };
}

/** The size of two parts together. */
export function sumOfSizes(a: PolicySize, b: PolicySize): PolicySize {
  return {
    "rules with peers": a["rules with peers"] + b["rules with peers"],
    "selectors, labels and values": a["selectors, labels and values"] + b["selectors, labels and values"],
    "ports and blocks": a["ports and blocks"] + b["ports and blocks"],
  };
}

/** Says what there is too much of; undefined if nothing. */
export function excessOf(size: PolicySize, limits: PolicySize): string | undefined {
  const quantities: readonly Quantity[] = ["rules with peers", "selectors, labels and values", "ports and blocks"];
  const over = quantities.filter((quantity) => size[quantity] > limits[quantity]);
  if (over.length === 0) return undefined;
  return over.map((quantity) => `${size[quantity]} ${quantity}, at most ${limits[quantity]}`).join("; ");
}

/** The work that a policy is, for comparisons: a rule costs the most, an element the least. */
export function weightOf(size: PolicySize): number {
  return 100 * size["rules with peers"] + 10 * size["selectors, labels and values"] + size["ports and blocks"];
}

function conditionsOf(selector: LabelSelector | undefined): number {
  if (selector === undefined) return 0;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return matchExpressions.reduce(
    (sum, { values = [] }) => sum + Math.max(1, values.length),
    1 + Object.keys(matchLabels).length,
  );
}

/** Whether a selector only says which labels pods must not have. */
function isUnindexed(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isNegative = ({ operator }: { readonly operator: string }) =>
    operator === "NotIn" || operator === "DoesNotExist";
  return Object.keys(matchLabels).length === 0 && matchExpressions.length > 0 && matchExpressions.every(isNegative);
}
