import { atOnce, type InterruptibleSteps } from "@orchernetes/kernel";
import type { ElementChanges, NftDifference } from "./difference.ts";
import type { NftChain, NftSet, NftTable } from "./table.ts";

/** What a set was when the last difference was taken, as far as it was changed since. */
interface SetState {
  readonly set: Omit<NftSet, "elements">;
  readonly elements: Map<string, string>;
  /** The value of each touched element then; undefined for one that was not there. */
  readonly touched: Map<string, string | undefined>;
}

/**
 * A table that is changed piece by piece and knows what has changed since the last look, so that the difference of one
 * changed element costs nothing for all the others. What is changed and changed back is no difference.
 */
export class MutableTable {
  readonly #family: NftTable["family"];
  readonly #name: string;
  readonly #sets = new Map<string, SetState>();
  readonly #chains = new Map<string, NftChain>();
  /** What was there when the last difference was taken, of the sets and chains that were added or removed since. */
  readonly #setsThen = new Map<string, SetState | undefined>();
  readonly #chainsThen = new Map<string, NftChain | undefined>();
  readonly #touched = new Set<SetState>();

  constructor({ family, name }: Pick<NftTable, "family" | "name">) {
    this.#family = family;
    this.#name = name;
  }

  /** Adds an empty set or map. */
  addSet(set: Omit<NftSet, "elements">): void {
    if (!this.#setsThen.has(set.name)) this.#setsThen.set(set.name, this.#sets.get(set.name));
    this.#sets.set(set.name, { set, elements: new Map(), touched: new Map() });
  }

  /** Removes a set or map with its elements. */
  removeSet(name: string): void {
    const state = this.#sets.get(name);
    if (state === undefined) return;
    if (!this.#setsThen.has(name)) this.#setsThen.set(name, state);
    this.#touched.delete(state);
    this.#sets.delete(name);
  }

  /** Adds a chain or replaces the rules of one. The hook of a chain must not change. */
  setChain(chain: NftChain): void {
    if (!this.#chainsThen.has(chain.name)) this.#chainsThen.set(chain.name, this.#chains.get(chain.name));
    this.#chains.set(chain.name, chain);
  }

  removeChain(name: string): void {
    if (!this.#chainsThen.has(name)) this.#chainsThen.set(name, this.#chains.get(name));
    this.#chains.delete(name);
  }

  /**
   * Adds an element or replaces its value.
   *
   * @throws RangeError if there is no such set
   */
  setElement(set: string, element: string, value: string): void {
    this.#touch(set, element).elements.set(element, value);
  }

  /**
   * Removes an element, if it is there.
   *
   * @throws RangeError if there is no such set
   */
  deleteElement(set: string, element: string): void {
    this.#touch(set, element).elements.delete(element);
  }

  /** The table as it is. Its elements are those of this object: they change with it. */
  table(): NftTable {
    const sets = [...this.#sets.values()].map(({ set, elements }) => ({ ...set, elements }));
    return { family: this.#family, name: this.#name, chains: [...this.#chains.values()], sets };
  }

  /** What has changed since the last call, or since the object was created. */
  takeDifference(): NftDifference {
    return atOnce(this.takeDifferenceInSteps());
  }

  /** As {@link takeDifference}; the table must not change between the steps. */
  *takeDifferenceInSteps(): InterruptibleSteps<NftDifference> {
    const chains = [...this.#chainsThen].flatMap(([name, then]) => this.#chainChange(name, then));
    const sets = [...this.#setsThen].map(([name, then]) => ({ then, now: this.#sets.get(name) }));
    const changed: ElementChanges[] = [];
    for (const state of this.#touched) {
      changed.push(...elementChanges(state));
      yield;
    }
    const replaced = sets.filter(({ then, now }) => then !== undefined && now !== undefined);
    if (replaced.length > 0) changed.push(...replaced.flatMap(({ then, now }) => replacedElements(then, now)));
    this.#forget();
    return {
      family: this.#family,
      table: this.#name,
      addedSets: sets.flatMap(({ then, now }) =>
        then === undefined && now !== undefined ? [{ ...now.set, elements: now.elements }] : [],
      ),
      removedSets: sets.flatMap(({ then, now }) => (then !== undefined && now === undefined ? [then.set] : [])),
      changedSets: changed,
      addedChains: chains.flatMap((change) => (change.kind === "added" ? [change.chain] : [])),
      changedChains: chains.flatMap((change) => (change.kind === "changed" ? [change.chain] : [])),
      removedChains: chains.flatMap((change) => (change.kind === "removed" ? [change.name] : [])),
    };
  }

  #touch(set: string, element: string): SetState {
    const state = this.#sets.get(set);
    if (state === undefined) throw new RangeError(`no set "${set}" in table ${this.#name}`);
    // A set that was added since is in the difference with all its elements.
    if (!this.#setsThen.has(set) && !state.touched.has(element)) {
      state.touched.set(element, state.elements.get(element));
      this.#touched.add(state);
    }
    return state;
  }

  #chainChange(name: string, then: NftChain | undefined): ChainChange[] {
    const chain = this.#chains.get(name);
    if (chain === undefined) return then === undefined ? [] : [{ kind: "removed", name }];
    if (then === undefined) return [{ kind: "added", chain }];
    const isSame = then.rules.length === chain.rules.length && then.rules.every((rule, i) => rule === chain.rules[i]);
    return isSame ? [] : [{ kind: "changed", chain }];
  }

  #forget(): void {
    for (const { touched } of this.#touched) touched.clear();
    this.#touched.clear();
    this.#setsThen.clear();
    this.#chainsThen.clear();
  }
}

type ChainChange =
  | { readonly kind: "added" | "changed"; readonly chain: NftChain }
  | { readonly kind: "removed"; readonly name: string };

function elementChanges({ set, elements, touched }: SetState): ElementChanges[] {
  const removed: string[] = [];
  const added = new Map<string, string>();
  for (const [element, then] of touched) {
    const now = elements.get(element);
    if (now === then) continue;
    if (then !== undefined) removed.push(element);
    if (now !== undefined) added.set(element, now);
  }
  return removed.length === 0 && added.size === 0 ? [] : [{ set: set.name, removed, added }];
}

/** A set that was removed and added again: its elements before and after. */
function replacedElements(then: SetState | undefined, now: SetState | undefined): ElementChanges[] {
  if (then === undefined || now === undefined) return [];
  // Touched elements of the old set were, at the last difference, what is noted of them.
  const before = new Map(then.elements);
  for (const [element, value] of then.touched) {
    if (value === undefined) before.delete(element);
    else before.set(element, value);
  }
  const touched = new Map<string, string | undefined>([...now.elements.keys()].map((element) => [element, undefined]));
  for (const [element, value] of before) touched.set(element, value);
  return elementChanges({ set: now.set, elements: now.elements, touched });
}
