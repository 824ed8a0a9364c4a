import type { NftSet } from "../nft/table.ts";
import type { Family } from "./addresses.ts";
import { type LiveSetSpec, liveSetName, type NamespaceLabels } from "./live-set.ts";
import type { AddressOfPod } from "./pod-index.ts";

/** The elements of the sets of one specification, one set for each family, kept up to date address by address. */
export class LiveElements {
  readonly spec: LiveSetSpec;
  readonly #namespaces: NamespaceLabels;
  readonly #families: Readonly<Record<Family, FamilyElements>>;

  constructor(spec: LiveSetSpec, namespaces: NamespaceLabels) {
    this.spec = spec;
    this.#namespaces = namespaces;
    this.#families = { 4: new FamilyElements(spec, 4), 6: new FamilyElements(spec, 6) };
  }

  /** Sets whose address this is now; a pod of undefined means nobody's. */
  assign({ address, pod }: AddressOfPod): void {
    const elements = pod === undefined ? [] : this.spec.elementsOf(pod, address, this.#namespaces);
    this.#families[address.family].assign(address.text, elements);
  }

  /** The sets. A set that has not changed since the last call is the same object. */
  sets(): readonly NftSet[] {
    return [this.#families[4].set(), this.#families[6].set()];
  }
}

const none: readonly string[] = [];

class FamilyElements {
  readonly #byAddress = new Map<string, readonly string[]>();
  #set: NftSet;
  /** What has changed since the set was made, by address: sets that were handed out do not change. */
  #changed = false;

  constructor(spec: LiveSetSpec, family: Family) {
    const definition = `type ipv${family}_addr${spec.typeSuffix};`;
    this.#set = { kind: "set", name: liveSetName(spec, family), definition, elements: new Map() };
  }

  assign(address: string, elements: readonly string[]): void {
    const before = this.#byAddress.get(address) ?? none;
    if (before.length === elements.length && before.every((element, i) => element === elements[i])) return;
    if (elements.length === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, elements);
    this.#changed = true;
  }

  set(): NftSet {
    if (this.#changed) {
      const elements = new Map<string, string>();
      for (const texts of this.#byAddress.values()) for (const text of texts) elements.set(text, "");
      this.#set = { ...this.#set, elements };
      this.#changed = false;
    }
    return this.#set;
  }
}
