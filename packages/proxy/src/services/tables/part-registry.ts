import type { MutableTable } from "../../nft/mutable-table.ts";
import type { BuiltPart, Part } from "./parts.ts";

/** Keeps chains and sets in a table as long as something refers to them. */
export class PartRegistry {
  readonly #table: MutableTable;
  readonly #held = new Map<string, { holders: number; readonly built: BuiltPart }>();

  constructor(table: MutableTable) {
    this.#table = table;
  }

  /** Adds a part, with all that it needs, unless it is there. */
  hold(part: Part): void {
    const held = this.#held.get(part.name);
    if (held !== undefined) {
      held.holders++;
      return;
    }
    const built = part.build();
    this.#held.set(part.name, { holders: 1, built });
    for (const needed of built.needs) this.hold(needed);
    const { content } = built;
    if (content.kind === "chain") this.#table.setChain(content.chain);
    else this.#table.addSet(content.set);
  }

  /** Removes a part that nothing else holds, and what only it needs. */
  release({ name }: Part): void {
    const held = this.#held.get(name);
    if (held === undefined) throw new RangeError(`"${name}" is released, but not held`);
    held.holders--;
    if (held.holders > 0) return;
    this.#held.delete(name);
    if (held.built.content.kind === "chain") this.#table.removeChain(name);
    else this.#table.removeSet(name);
    for (const needed of held.built.needs) this.release(needed);
  }
}
