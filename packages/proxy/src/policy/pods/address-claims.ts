import type { PolicyPod } from "./policy-pod.ts";

/** A pod that has reported an address. */
interface Claim {
  readonly pod: PolicyPod;
  /** Of the pod's node: nodes that have reported the address earlier have lower numbers. */
  readonly turn: number;
}

/** What is known of a node some of whose pods have reported the address. */
interface ClaimingNode {
  readonly turn: number;
  claims: number;
  /** Claims of pods that are not being deleted. */
  staying: number;
}

/**
 * The pods that have reported one address. Any node can report any address for its pods, so a report takes nothing away
 * from a pod of another node. The address belongs, in this order, to
 *
 * 1. a pod of this node, which knows its own pods' addresses itself;
 * 2. a pod that is not being deleted;
 * 3. a pod of the node that has reported the address first, as far as this process has seen;
 * 4. of the pods of one node the one that was created last: its predecessor is about to go.
 */
export class AddressClaims {
  /** The owner first. */
  readonly #claims: Claim[] = [];
  readonly #nodes = new Map<string, ClaimingNode>();
  #nextTurn = 0;
  #stayingNodes = 0;

  /** The pod that the address belongs to; undefined if nobody has reported it. */
  get owner(): PolicyPod | undefined {
    return this.#claims[0]?.pod;
  }

  /** Whether pods of several nodes report the address that are not being deleted. */
  get isContested(): boolean {
    return this.#stayingNodes > 1;
  }

  /** Adds the claim of a pod that has none; an earlier state of it may have one. */
  add(pod: PolicyPod): void {
    const node = this.#nodes.get(pod.node) ?? { turn: this.#nextTurn++, claims: 0, staying: 0 };
    this.#nodes.set(pod.node, node);
    node.claims++;
    if (!pod.isLeaving && node.staying++ === 0) this.#stayingNodes++;
    const claim = { pod, turn: node.turn };
    this.#claims.splice(this.#placeOf(claim), 0, claim);
  }

  /** Removes the claim of a pod that has one. */
  remove(pod: PolicyPod): void {
    const node = this.#nodes.get(pod.node);
    if (node === undefined) return;
    const place = this.#placeOf({ pod, turn: node.turn });
    // While a pod is replaced, both states of it have a claim, in the same place.
    const at = this.#claims[place]?.pod === pod ? place : place + 1;
    if (this.#claims[at]?.pod !== pod) return;
    this.#claims.splice(at, 1);
    if (!pod.isLeaving && --node.staying === 0) this.#stayingNodes--;
    if (--node.claims === 0) this.#nodes.delete(pod.node);
  }

  /** The number of claims that come before this one. */
  #placeOf(claim: Claim): number {
    let low = 0;
    let high = this.#claims.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#claims[middle];
      if (other !== undefined && isBefore(other, claim)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The order of claims; only those of states of the same pod have the same place, because ranks contain its key. */
function isBefore(a: Claim, b: Claim): boolean {
  if (a.pod.isLocal !== b.pod.isLocal) return a.pod.isLocal;
  if (a.pod.isLeaving !== b.pod.isLeaving) return b.pod.isLeaving;
  if (a.turn !== b.turn) return a.turn < b.turn;
  return a.pod.rank > b.pod.rank;
}
