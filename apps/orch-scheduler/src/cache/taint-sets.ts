import type { core } from "@orchernetes/api";

type Taints = readonly core.Taint[];

/** When a taint was added does not decide anything, nor does their order. */
const textOf = (taints: Taints): string =>
  taints.length === 0
    ? ""
    : JSON.stringify(taints.map(({ key, value, effect }) => JSON.stringify([key, value ?? "", effect])).sort());

/**
 * Taints decide as a set: nodes with the same ones share a number, 0 is no taints. A number is free again when its last
 * node gives it up, so that taints that come and go do not pile up.
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

  /** The number of a set, with one more user. */
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

  /** One user less. */
  drop(id: number): void {
    const set = this.#sets[id];
    if (set === undefined || id === 0 || --set.uses > 0) return;
    this.#ids.delete(set.text);
    this.#sets[id] = { text: "", taints: [], uses: 0 };
    this.#free.push(id);
  }
}
