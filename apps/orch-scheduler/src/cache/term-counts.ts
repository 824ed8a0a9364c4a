import { type AffinityTerm, requiredTerms, type TermKind } from "./affinity-term.ts";
import { isTooLong, sumOfSteps } from "./matching-cost.ts";
import type { PodInfo } from "./pod-info.ts";

/** Equal terms of pods on nodes, with the number of such pods on each node. */
export interface TermGroup {
  readonly term: AffinityTerm;
  /** Pods by slot; only slots that have some. */
  readonly counts: ReadonlyMap<number, number>;
}

/**
 * The affinity terms of the pods on nodes. Equal terms form one group, usually the pods of one template: anti-affinity
 * of existing pods is then checked per group.
 */
export class TermCounts {
  readonly #groups: Record<TermKind, Map<string, { term: AffinityTerm; counts: Map<number, number> }>> = {
    requiredAffinity: new Map(),
    requiredAntiAffinity: new Map(),
    preferredAffinity: new Map(),
    preferredAntiAffinity: new Map(),
  };

  /** Counts the terms of a pod that is added (1) or removed (-1). */
  count(slot: number, { terms }: PodInfo, sign: 1 | -1): void {
    if (terms === undefined) return;
    // Every decision about any pod compares it with the terms that are counted.
    const without = isTooLong(sumOfSteps(terms));
    const withoutRequired = without && isTooLong(sumOfSteps(requiredTerms(terms)));
    for (const term of terms) {
      if (term.weight === 0 ? withoutRequired : without) continue;
      const groups = this.#groups[term.kind];
      const group = groups.get(term.key) ?? { term, counts: new Map<number, number>() };
      groups.set(term.key, group);
      const count = (group.counts.get(slot) ?? 0) + sign;
      if (count > 0) group.counts.set(slot, count);
      else group.counts.delete(slot);
      if (group.counts.size === 0) groups.delete(term.key);
    }
  }

  groups(kind: TermKind): Iterable<TermGroup> {
    return this.#groups[kind].values();
  }

  has(kind: TermKind): boolean {
    return this.#groups[kind].size > 0;
  }
}
