import type { MutableTable } from "../../nft/mutable-table.ts";
import { type LiveSetSpec, liveSetName, type NamespaceLabels } from "../compile/live-set.ts";
import type { AddressOfPod } from "../pods/pod-index.ts";
import { families } from "../values/addresses.ts";

const none: readonly string[] = [];

/** Keeps the sets of a specification, one for each family, up to date address by address. */
export class LiveElements {
  readonly spec: LiveSetSpec;
  readonly #table: MutableTable;
  readonly #namespaces: NamespaceLabels;
  readonly #byAddress = new Map<string, readonly string[]>();
  #size = 0;

  /** Adds the sets to the table. */
  constructor(spec: LiveSetSpec, table: MutableTable, namespaces: NamespaceLabels) {
    this.spec = spec;
    this.#table = table;
    this.#namespaces = namespaces;
    for (const family of families) {
      const definition = `type ipv${family}_addr${spec.typeSuffix};`;
      table.addSet({ kind: "set", name: liveSetName(spec, family), definition });
    }
  }

  /** The number of elements of both sets. */
  get size(): number {
    return this.#size;
  }

  /** Puts into the sets what belongs to an address now; a pod of undefined means that nobody has it. */
  assign({ address, pod }: AddressOfPod): void {
    const after = pod === undefined ? none : this.spec.elementsOf(pod, address, this.#namespaces);
    const before = this.#byAddress.get(address.text) ?? none;
    if (before.length === 0 && after.length === 0) return;
    this.#size += after.length - before.length;
    const set = liveSetName(this.spec, address.family);
    for (const element of before) if (!after.includes(element)) this.#table.deleteElement(set, element);
    for (const element of after) if (!before.includes(element)) this.#table.setElement(set, element, "");
    if (after.length === 0) this.#byAddress.delete(address.text);
    else this.#byAddress.set(address.text, after);
  }

  /** Removes the sets from the table. */
  remove(): void {
    for (const family of families) this.#table.removeSet(liveSetName(this.spec, family));
  }
}
