import type { MutableTable } from "../nft/mutable-table.ts";
import { baseChains } from "./base-chains.ts";
import { type IsolationParts, podSets } from "./isolated-pods.ts";
import { LiveElements } from "./live-elements.ts";
import type { NamespaceLabels } from "./live-set.ts";
import type { PodIndex } from "./pod-index.ts";

const nothing: IsolationParts = {
  chains: new Map(),
  fixedSets: new Map(),
  liveSets: new Map(),
  elements: new Map(podSets.map(({ name }) => [name, new Map()])),
};

/** Brings a table from one isolation of pods to the next one. */
export class TableParts {
  readonly #table: MutableTable;
  readonly #namespaces: NamespaceLabels;
  readonly #live = new Map<string, LiveElements>();
  #parts = nothing;

  /** Adds to the table what every table has. */
  constructor(table: MutableTable, namespaces: NamespaceLabels) {
    this.#table = table;
    this.#namespaces = namespaces;
    for (const set of podSets) table.addSet(set);
    for (const chain of baseChains) table.setChain(chain);
  }

  /** The sets that pods of the whole cluster belong to. */
  live(): Iterable<LiveElements> {
    return this.#live.values();
  }

  /**
   * Adds and removes what is not in both.
   *
   * @param pods those that new sets are filled from
   */
  replace(parts: IsolationParts, pods: PodIndex): void {
    const before = this.#parts;
    this.#parts = parts;
    for (const [name, set] of missingIn(before.fixedSets, parts.fixedSets)) {
      this.#table.addSet(set);
      for (const [element, value] of set.elements) this.#table.setElement(name, element, value);
    }
    for (const [name, spec] of missingIn(before.liveSets, parts.liveSets)) {
      const live = new LiveElements(spec, this.#table, this.#namespaces);
      const concerns = (namespace: string) => spec.concerns(namespace, this.#namespaces);
      for (const address of pods.addressesIn(concerns)) live.assign(address);
      this.#live.set(name, live);
    }
    for (const [, chain] of missingIn(before.chains, parts.chains)) this.#table.setChain(chain);
    for (const [name, elements] of parts.elements) this.#replaceElements(name, before.elements.get(name), elements);
    for (const [name] of missingIn(parts.chains, before.chains)) this.#table.removeChain(name);
    for (const [name] of missingIn(parts.fixedSets, before.fixedSets)) this.#table.removeSet(name);
    for (const [name] of missingIn(parts.liveSets, before.liveSets)) {
      this.#live.get(name)?.remove();
      this.#live.delete(name);
    }
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
