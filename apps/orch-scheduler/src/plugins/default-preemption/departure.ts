import type { PodInfo } from "../../cache/pod-info.ts";
import type { RankedPods } from "../../cache/ranked-pods.ts";
import type { Trial } from "./trial.ts";

/**
 * The pods of lower priority of one node after another, while it is tried out which of them have to leave. Those of a kind change the
 * node in the same way, so that only their number matters, and what is true of one of them is true of the others until the node
 * changes.
 */
export class Departure {
  readonly #trial: Trial;
  #slot = 0;
  /** By place: the kind of the pod. Undefined where it cannot be known which pods are alike: each is a kind of its own. */
  #kinds: readonly number[] | undefined;
  /** By kind: one of its pods. */
  #examples: readonly PodInfo[] = [];
  /** By kind: how many of the pods are away. */
  #away = new Int32Array(16);
  /** By kind: the number of pods that had come back when one of the kind did not fit beside the incoming pod. */
  #failedAt = new Int32Array(16);
  #returned = 0;

  constructor(trial: Trial) {
    this.#trial = trial;
  }

  /** Removes the pods of a node from a place on. {@link end} has to be called before the next node. */
  begin(slot: number, ranked: RankedPods, first: number): void {
    const { pods, examples } = ranked;
    this.#slot = slot;
    this.#kinds = this.#trial.takesGroups ? ranked.kinds : undefined;
    this.#examples = this.#trial.takesGroups ? examples : pods;
    const kinds = this.#examples.length;
    if (kinds > this.#away.length) {
      this.#away = new Int32Array(2 * kinds);
      this.#failedAt = new Int32Array(2 * kinds);
    }
    const away = this.#away;
    for (let kind = 0; kind < kinds; kind++) {
      away[kind] = 0;
      this.#failedAt[kind] = -1;
    }
    this.#returned = 0;
    for (let place = first; place < pods.length; place++) {
      const kind = this.#kindOf(place);
      away[kind] = (away[kind] as number) + 1;
    }
    for (let kind = 0; kind < kinds; kind++) if (away[kind] !== 0) this.#change(kind, -(away[kind] as number));
  }

  /** Puts a pod back, unless the incoming pod would not fit any more. Returns whether it is back. */
  putBack(place: number): boolean {
    const kind = this.#kindOf(place);
    if (this.#failedAt[kind] === this.#returned) return false;
    const away = this.#away[kind] as number;
    this.#change(kind, 1);
    // Before the check, which may throw.
    this.#away[kind] = away - 1;
    if (this.#trial.fits(this.#slot)) {
      this.#returned++;
      return true;
    }
    this.#change(kind, -1);
    this.#away[kind] = away;
    this.#failedAt[kind] = this.#returned;
    return false;
  }

  /** Puts all pods back that are away. */
  end(): void {
    for (let kind = 0; kind < this.#examples.length; kind++)
      if (this.#away[kind] !== 0) this.#change(kind, this.#away[kind] as number);
  }

  #kindOf(place: number): number {
    return this.#kinds === undefined ? place : (this.#kinds[place] as number);
  }

  #change(kind: number, count: number): void {
    this.#trial.change(this.#slot, this.#examples[kind] as PodInfo, count);
  }
}
