import type { NftDifference } from "../../nft/difference.ts";
import { MutableTable } from "../../nft/mutable-table.ts";
import type { NftTable } from "../../nft/table.ts";
import type { Frontend } from "../frontends/frontends.ts";
import type { IpFamily } from "../objects/addresses.ts";
import type { ServiceSettings } from "../objects/settings.ts";
import { baseChains } from "./base-chains.ts";
import { FormerSlots, type FoundElements } from "./former-slots.ts";
import { type Element, type FrontendElements, frontendElements, ownAddresses } from "./frontend-elements.ts";
import { PartRegistry } from "./part-registry.ts";
import { Parts } from "./parts.ts";
import { hairpinSet, scopesOf, setsOf } from "./scopes.ts";
import { trafficRules } from "./traffic-rules.ts";

/** The table of all frontends. */
export class FrontendTable {
  readonly #table: MutableTable;
  readonly #parts: Parts;
  readonly #registry: PartRegistry;
  readonly #shown = new Map<string, FrontendElements>();
  /** Until the first difference is taken. */
  #former: FormerSlots | undefined;
  /** How many frontends have an endpoint with the address on this node. */
  readonly #hairpins = new Map<string, number>();

  /** @throws RangeError if the settings are not valid */
  constructor(settings: ServiceSettings) {
    const rules = trafficRules(settings);
    this.#table = new MutableTable({ family: "inet", name: settings.tableName ?? "orch-proxy" });
    for (const scope of rules.families.flatMap(scopesOf)) for (const set of setsOf(scope)) this.#table.addSet(set);
    for (const chain of baseChains(rules)) this.#table.setChain(chain);
    this.#parts = new Parts(rules);
    this.#registry = new PartRegistry(this.#table);
  }

  /** Puts endpoints into the slots that they had when a former process ended. To be called before the first {@link takeDifference}. */
  adopt(maps: ReadonlyMap<string, FoundElements>): void {
    this.#former = new FormerSlots(maps);
  }

  /**
   * Replaces what is at an address and port.
   *
   * @param id of the address and port
   * @param frontend undefined: nothing
   * @returns what was there
   */
  show(id: string, frontend: Frontend | undefined): Frontend | undefined {
    const before = this.#shown.get(id);
    const places = before ?? (frontend === undefined ? undefined : this.#formerPlaces(frontend));
    const after = frontend === undefined ? undefined : frontendElements(this.#parts, frontend, places);
    // New parts are held before old ones are released: those that stay are not built again.
    for (const part of after?.parts ?? []) this.#registry.hold(part);
    this.#replaceElements(before?.elements ?? [], after?.elements ?? []);
    for (const part of before?.parts ?? []) this.#registry.release(part);
    if (after !== undefined) this.#countHairpins(after, 1);
    if (before !== undefined) this.#countHairpins(before, -1);
    if (after === undefined) this.#shown.delete(id);
    else this.#shown.set(id, after);
    return before?.frontend;
  }

  /** How many slots the endpoints of what is at an address and port are in: all, and the node's own; 0 without affinity. */
  slotsInUse(id: string): { readonly all: number; readonly local: number } {
    const shown = this.#shown.get(id);
    return { all: shown?.all.slots.length ?? 0, local: shown?.local.slots.length ?? 0 };
  }

  table(): NftTable {
    return this.#table.table();
  }

  takeDifference(): NftDifference {
    this.#former = undefined;
    return this.#table.takeDifference();
  }

  #formerPlaces(frontend: Frontend): Pick<FrontendElements, "all" | "local"> | undefined {
    const slots = this.#former?.of(frontend);
    return slots && { all: { order: [], slots: slots.all }, local: { order: [], slots: slots.local } };
  }

  #replaceElements(before: readonly Element[], after: readonly Element[]): void {
    if (before.length === 0) {
      for (const { set, element, value } of after) this.#table.setElement(set, element, value);
      return;
    }
    const stay = new Set(after.map(elementId));
    for (const element of before)
      if (!stay.has(elementId(element))) this.#table.deleteElement(element.set, element.element);
    // What has not changed is no change to the table: it knows the values.
    for (const { set, element, value } of after) this.#table.setElement(set, element, value);
  }

  #countHairpins(elements: FrontendElements, step: 1 | -1): void {
    const { family } = elements.frontend;
    for (const address of ownAddresses(elements)) {
      const count = (this.#hairpins.get(address) ?? 0) + step;
      if (count === 0) this.#hairpins.delete(address);
      else this.#hairpins.set(address, count);
      this.#showHairpin(family, address, count);
    }
  }

  #showHairpin(family: IpFamily, address: string, count: number): void {
    const element = `${address} . ${address}`;
    if (count === 0) this.#table.deleteElement(hairpinSet(family), element);
    else this.#table.setElement(hairpinSet(family), element, "");
  }
}

const elementId = ({ set, element }: Element): string => `${set} ${element}`;
