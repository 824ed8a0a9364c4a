import type { Frontend } from "../frontends/frontends.ts";
import { frontendKey, isSlotMap, type Pool, poolSetName, poolsOf, scopeOfFrontend } from "./scopes.ts";

/** Elements of a map with their values, as texts. */
export type FoundElements = ReadonlyMap<string, string>;

/** More slots than a frontend has: numbers beyond are not those of slots. */
const MAX_SLOTS = 1024;

/** The endpoints of a frontend by slot, with gaps. */
export type Slots = readonly (string | undefined)[];

/**
 * In which slots the endpoints of services with affinity were when a former process ended. The kernel still knows the clients of each
 * slot: with other endpoints in the slots they would all be sent elsewhere.
 */
export class FormerSlots {
  /** By map and frontend. */
  readonly #slots = new Map<string, (string | undefined)[]>();

  /** @param maps the content of maps by their names; others than those of slots are passed over, as is what is no slot */
  constructor(maps: ReadonlyMap<string, FoundElements>) {
    for (const [name, elements] of maps) {
      if (!isSlotMap(name)) continue;
      for (const [element, endpoint] of elements) this.#add(name, element, endpoint);
    }
  }

  /** The slots of a frontend. */
  of(frontend: Frontend): { readonly all: Slots; readonly local: Slots } {
    const { all, local } = poolsOf(scopeOfFrontend(frontend), frontend.protocol);
    const slots = (pool: Pool): Slots =>
      this.#slots.get(idOf(poolSetName(pool, "stickyEndpoints"), frontendKey(frontend))) ?? [];
    return { all: slots(all), local: slots(local) };
  }

  #add(name: string, element: string, endpoint: string): void {
    const [, key = "", text] = /^(.*) \. (\d+)$/.exec(element) ?? [];
    const slot = Number(text);
    if (text === undefined || slot >= MAX_SLOTS) return;
    const id = idOf(name, key);
    const slots = this.#slots.get(id) ?? [];
    this.#slots.set(id, slots);
    while (slots.length <= slot) slots.push(undefined);
    slots[slot] = endpoint;
  }
}

const idOf = (map: string, frontend: string): string => `${map} ${frontend}`;
