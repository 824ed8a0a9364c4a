import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { byImportance, type RankedPods } from "../../cache/ranked-pods.ts";
import type { Candidate } from "../../framework/candidate.ts";
import { type CandidateRank, NEVER, weightOf } from "./candidate.ts";
import { Departure } from "./departure.ts";
import type { ProtectedPods } from "./disruption-budgets.ts";
import { NO_VICTIMS, type Trial } from "./trial.ts";

/** The input of a {@link VictimsSearch}. */
interface VictimsSearchOptions {
  readonly pod: PodInfo;
  readonly nodes: NodeTable;
  readonly protectedPods: ProtectedPods;
  readonly trial: Trial;
}

/**
 * Finds the pods that would have to be evicted from one node after another. It allocates hardly any memory: all but one of the
 * candidates are usually discarded.
 */
export class VictimsSearch {
  readonly #options: VictimsSearchOptions;
  readonly #departure: Departure;
  #slot = 0;
  #ranked: RankedPods | undefined;
  /** Places of the victims in `#ranked`; as many as `#count`. */
  #places = new Int32Array(16);
  #count = 0;
  #violations = 0;

  constructor(options: VictimsSearchOptions) {
    this.#options = options;
    this.#departure = new Departure(options.trial);
  }

  /**
   * Examines a node: removes all pods of lower priority, and puts back as many as possible, the most important first, and those under
   * a disruption budget before the others.
   *
   * @returns the rank of the candidate, or why there is none
   */
  examine(slot: number): CandidateRank | readonly string[] {
    const { pod, nodes, trial } = this.#options;
    const ranked = nodes.rankedPods(nodes.nameOf(slot));
    this.#slot = slot;
    this.#ranked = ranked;
    this.#count = 0;
    this.#violations = 0;
    const first = ranked.firstBelow(pod.priority);
    if (first === ranked.pods.length) return NO_VICTIMS;
    try {
      this.#departure.begin(slot, ranked, first);
      if (!trial.fits(slot)) return trial.reasons(slot);
      this.#putBack(ranked, first);
    } finally {
      this.#departure.end();
    }
    return this.#count === 0 ? NO_VICTIMS : this.#rank(ranked);
  }

  /** The candidate of the node that was examined last, which has one. */
  get candidate(): Candidate {
    const pods = this.#ranked?.pods ?? [];
    const victims = Array.from(this.#places.subarray(0, this.#count), (place) => pods[place] as PodInfo);
    // Those under a budget came first.
    if (this.#violations > 0) victims.sort(byImportance);
    return {
      slot: this.#slot,
      node: this.#options.nodes.nameOf(this.#slot),
      victims,
      violations: this.#violations,
    };
  }

  #putBack(ranked: RankedPods, first: number): void {
    const { length } = ranked.pods;
    if (this.#places.length < length) this.#places = new Int32Array(2 * length);
    const violating = this.#options.protectedPods.violating(ranked, first);
    for (const place of violating) if (this.#mustLeave(place)) this.#violations++;
    const some = violating.size > 0;
    for (let place = first; place < length; place++) if (!(some && violating.has(place))) this.#mustLeave(place);
  }

  #mustLeave(place: number): boolean {
    if (this.#departure.putBack(place)) return false;
    this.#places[this.#count++] = place;
    return true;
  }

  #rank({ priorities, starts }: RankedPods): CandidateRank {
    const places = this.#places;
    let weight = 0;
    // Of the most important ones, the first has run longest.
    let first = places[0] as number;
    for (let i = 0; i < this.#count; i++) {
      const place = places[i] as number;
      weight += weightOf(priorities[place] as number);
      if (place < first) first = place;
    }
    return {
      violations: this.#violations,
      highest: priorities[first] as number,
      weight,
      count: this.#count,
      earliestStart: starts[first] || NEVER,
    };
  }
}
