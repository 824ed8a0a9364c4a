import type { Candidate } from "../../framework/candidate.ts";
import { type CandidateRank, isBetter } from "./candidate.ts";
import type { SuitsLater } from "./suits-later.ts";
import type { VictimsSearch } from "./victims-search.ts";

/**
 * The best candidate so far. Of equals it is the first that suits later, or the first of all: upstream takes any of them, and a pod
 * whose node does not suit any more when the victims have left has to evict others.
 */
export class BestCandidate {
  readonly #search: Pick<VictimsSearch, "candidate">;
  readonly #makeSuits: () => SuitsLater | undefined;
  #suits: SuitsLater | undefined;
  #rank: CandidateRank | undefined;
  #candidate: Candidate | undefined;
  /** Whether the candidate suits later; undefined if that was not asked, as it has no equal yet. */
  #isSuited: boolean | undefined;

  /**
   * @param search makes the candidate that is offered
   * @param makeSuits called when there are two equal candidates, if at all; undefined: all nodes suit
   */
  constructor(search: Pick<VictimsSearch, "candidate">, makeSuits: () => SuitsLater | undefined) {
    this.#search = search;
    this.#makeSuits = makeSuits;
  }

  get candidate(): Candidate | undefined {
    return this.#candidate;
  }

  /** Compares the candidate of the node that was examined last. */
  offer(rank: CandidateRank, slot: number): void {
    if (this.#rank === undefined || isBetter(rank, this.#rank)) this.#take(rank, undefined);
    else if (this.#isSuited !== true && !isBetter(this.#rank, rank) && this.#suitsBetter(slot)) this.#take(rank, true);
  }

  #take(rank: CandidateRank, isSuited: boolean | undefined): void {
    this.#rank = rank;
    this.#candidate = this.#search.candidate;
    this.#isSuited = isSuited;
  }

  /** Whether the node suits later, and that of the candidate does not. */
  #suitsBetter(slot: number): boolean {
    if (this.#isSuited === undefined) {
      this.#suits ??= this.#makeSuits() ?? (() => true);
      this.#isSuited = this.#suits(this.#candidate?.slot ?? slot);
    }
    return !this.#isSuited && this.#suits?.(slot) === true;
  }
}
