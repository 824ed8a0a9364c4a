import type { InterruptibleSteps } from "@orchernetes/kernel";
import type { MutableTable } from "../../nft/mutable-table.ts";
import { baseChains } from "./base-chains.ts";
import { type IsolationParts, podSets } from "./isolated-pods.ts";
import type { LiveSets } from "./live-sets.ts";

const nothing: IsolationParts = {
  chains: new Map(),
  fixedSets: new Map(),
  liveSets: new Set(),
  elements: new Map(podSets.map(({ name }) => [name, new Map()])),
};

/** Elements between two steps. */
const ELEMENTS_IN_STEP = 1024;

/** Brings a table from one isolation of pods to the next one. */
export class TableParts {
  readonly #table: MutableTable;
  readonly #live: LiveSets;
  #parts = nothing;

  /** Adds to the table what every table has. */
  constructor(table: MutableTable, live: LiveSets) {
    this.#table = table;
    this.#live = live;
    for (const set of podSets) table.addSet(set);
    for (const chain of baseChains) table.setChain(chain);
  }

  /** Adds and removes what is not in both. The live sets of the parts are there already. */
  *replace(parts: IsolationParts): InterruptibleSteps<void> {
    const before = this.#parts;
    this.#parts = parts;
    for (const [name, set] of missingIn(before.fixedSets, parts.fixedSets)) {
      this.#table.addSet(set);
      let count = 0;
      for (const [element, value] of set.elements) {
        this.#table.setElement(name, element, value);
        if (++count % ELEMENTS_IN_STEP === 0) yield;
      }
      yield;
    }
    for (const [, chain] of missingIn(before.chains, parts.chains)) this.#table.setChain(chain);
    for (const [name, elements] of parts.elements) this.#replaceElements(name, before.elements.get(name), elements);
    for (const [name] of missingIn(parts.chains, before.chains)) this.#table.removeChain(name);
    for (const [name] of missingIn(parts.fixedSets, before.fixedSets)) this.#table.removeSet(name);
    yield;
    for (const name of this.#live.names()) if (!parts.liveSets.has(name)) this.#live.remove(name);
  }

  #replaceElements(
    set: string,
    before: ReadonlyMap<string, string> | undefined,
    after: ReadonlyMap<string, string>,
  ): void {
    for (const element of before?.keys() ?? []) if (!after.has(element)) this.#table.deleteElement(set, element);
    for (const [element, value] of after)
      if (before?.get(element) !== value) this.#table.setElement(set, element, value);
  }
}

/** The entries of a map whose names another one does not have. */
function* missingIn<T>(other: ReadonlyMap<string, unknown>, map: ReadonlyMap<string, T>): Generator<[string, T]> {
  for (const entry of map) if (!other.has(entry[0])) yield entry;
}
