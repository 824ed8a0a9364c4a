import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { CompiledPolicy } from "../compile/compile-policy.ts";
import type { LiveSetSpec } from "../compile/live-set.ts";
import { excessOf, type NamespaceLimits, noPolicies, type PolicySize, sumOfSizes } from "../compile/policy-limits.ts";
import type { LiveSets } from "./live-sets.ts";

/** A policy that was refused because pods have too many addresses for it: not tried again while no less is there. */
interface Refusal {
  /** Elements of older policies then. */
  readonly elements: number;
  /** Pods of the cluster then. */
  readonly pods: number;
}

/** Part of the pods that must be gone before a policy is tried again that has too many addresses for them. */
const RETRY_PART = 0.9;

/** Which policies of a namespace are in effect. */
export interface Admission {
  readonly admitted: ReadonlySet<CompiledPolicy>;
  /** Why the others allow nothing. */
  readonly refused: ReadonlyMap<CompiledPolicy, string>;
  /** Names of the sets of those in effect. */
  readonly sets: ReadonlySet<string>;
}

/**
 * Decides how much of the packet filter and of this process the policies of each namespace get: a namespace with very many
 * must not delay those of others. The oldest come first, so that a new policy takes nothing away from those that hold.
 */
export class NamespaceBudget {
  readonly #live: LiveSets;
  readonly #limits: NamespaceLimits;
  readonly #refusals = new WeakMap<CompiledPolicy, Refusal>();

  constructor(live: LiveSets, limits: NamespaceLimits) {
    this.#live = live;
    this.#limits = limits;
  }

  /**
   * Admits the policies of one namespace up to its limits, and adds the sets that those need.
   *
   * @param policies those that select pods of this node
   * @param podCount pods of the cluster
   */
  *admit(policies: Iterable<CompiledPolicy>, podCount: number): InterruptibleSteps<Admission> {
    const admitted = new Set<CompiledPolicy>();
    const refused = new Map<CompiledPolicy, string>();
    const sets = new Set<string>();
    let size: PolicySize = noPolicies;
    let elements = 0;
    let isFull = false;
    for (const policy of [...policies].sort(byAge)) {
      yield;
      const together = sumOfSizes(size, policy.size);
      const excess = excessOf(together, this.#limits.policies);
      if (excess !== undefined) {
        this.#refusals.delete(policy);
        refused.set(policy, `together with older policies of its namespace: ${excess}`);
        continue;
      }
      const more = yield* this.#elementsOf(policy, sets, { elements, pods: podCount }, isFull);
      if (more === undefined) {
        isFull = true;
        refused.set(
          policy,
          `together with older policies of its namespace: more than ${this.#limits.addresses} addresses of pods`,
        );
        continue;
      }
      size = together;
      elements += more;
      admitted.add(policy);
      for (const { name } of liveSetsOf(policy)) sets.add(name);
    }
    return { admitted, refused, sets };
  }

  /** Whether the sets of policies that are in effect have become too large. */
  isExceeded({ sets }: Admission): boolean {
    let elements = 0;
    for (const name of sets) elements += this.#live.sizeOf(name);
    return elements > this.#limits.addresses;
  }

  /** Whether a policy may fit that had too many addresses when there were more pods. */
  hasRoom({ refused }: Admission, podCount: number): boolean {
    for (const policy of refused.keys()) {
      const refusal = this.#refusals.get(policy);
      if (refusal !== undefined && hasMoreRoom({ ...refusal, pods: podCount }, refusal)) return true;
    }
    return false;
  }

  /**
   * The elements of the sets that a policy needs beside those that are there; undefined if they are too many.
   *
   * @param now what there is before it
   * @param isFull whether an older policy had too many: then this one is not tried, because each may be as much work
   */
  *#elementsOf(
    policy: CompiledPolicy,
    sets: ReadonlySet<string>,
    now: Refusal,
    isFull: boolean,
  ): InterruptibleSteps<number | undefined> {
    const former = this.#refusals.get(policy);
    if (former !== undefined && !isFull && !hasMoreRoom(now, former)) return undefined;
    this.#refusals.delete(policy);
    const own = new Set<string>();
    let more = 0;
    for (const spec of liveSetsOf(policy)) {
      if (sets.has(spec.name) || own.has(spec.name)) continue;
      if (isFull) return undefined;
      own.add(spec.name);
      more += yield* this.#live.add(spec);
      if (now.elements + more <= this.#limits.addresses) continue;
      this.#refusals.set(policy, now);
      return undefined;
    }
    return more;
  }
}

const hasMoreRoom = (now: Refusal, former: Refusal): boolean =>
  now.elements < former.elements || now.pods < RETRY_PART * former.pods;

function* liveSetsOf({ allowed }: CompiledPolicy): Generator<LiveSetSpec> {
  for (const traffic of [allowed.ingress, allowed.egress]) yield* traffic?.liveSets ?? [];
}

const byAge = (a: CompiledPolicy, b: CompiledPolicy): number => (a.age < b.age ? -1 : a.age > b.age ? 1 : 0);
