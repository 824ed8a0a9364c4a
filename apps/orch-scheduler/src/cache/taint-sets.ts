import type { core } from "@orchernetes/api";

type Taints = readonly core.Taint[];

/**
 * The text of a set. The time of a taint has no effect; the order decides which taint the message of a refusal names.
 */
const textOf = (taints: Taints): string =>
  taints.length === 0 ? "" : JSON.stringify(taints.map(({ key, value, effect }) => [key, value ?? "", effect]));

/**
 * Sets of taints, by number. Nodes with the same taints share a number (0: no taints), so that a pod's tolerations are
 * compared once per set and not once per node. A number is free again when its last node has dropped it, so that
 * changing taints do not accumulate.
 */
export class TaintSets {
  readonly #ids = new Map<string, number>([["", 0]]);
  readonly #sets: { readonly text: string; readonly taints: Taints; uses: number }[] = [
    { text: "", taints: [], uses: 1 },
  ];
  readonly #free: number[] = [];

  /** One past the highest number in use. 1 means that no node has taints, or none has had so far. */
  get length(): number {
    return this.#sets.length;
  }

  taints(id: number): Taints {
    return this.#sets[id]?.taints ?? [];
  }

  /** Returns the number of a set, and counts one more user of it. */
  take(taints: Taints): number {
    const text = textOf(taints);
    const known = this.#ids.get(text);
    const id = known ?? this.#free.pop() ?? this.#sets.length;
    if (known === undefined) {
      this.#ids.set(text, id);
      this.#sets[id] = { text, taints, uses: 0 };
    }
    const set = this.#sets[id];
    if (set !== undefined) set.uses++;
    return id;
  }

  /** Counts one user less. */
  drop(id: number): void {
    const set = this.#sets[id];
    if (set === undefined || id === 0 || --set.uses > 0) return;
    this.#ids.delete(set.text);
    this.#sets[id] = { text: "", taints: [], uses: 0 };
    this.#free.push(id);
  }
}
