import { content } from "./batch.ts";
import type { NftSet, NftTable } from "./table.ts";

/** What a table of the kernel consists of, without contents. */
export interface FoundTable {
  /** Names. */
  readonly chains: readonly string[];
  readonly sets: readonly Pick<NftSet, "kind" | "name">[];
}

/** Whether rules add elements to a set. */
export const isDynamic = ({ definition }: Pick<NftSet, "definition">): boolean =>
  /\bflags [^;]*\bdynamic\b/.test(definition);

/**
 * The batch that replaces a table of the kernel like `fullBatch`, except that sets which rules add elements to keep these if they
 * are in the new table. The kernel rejects it if such a set has another definition now, or if the table is not the found one.
 */
export function reloadBatch(table: NftTable, found: FoundTable): string {
  const at = `${table.family} ${table.name}`;
  const kept = new Set(table.sets.filter(isDynamic).map(({ name }) => name));
  const removed = found.sets.filter(({ kind, name }) => kind === "map" || !kept.has(name));
  return [
    // Rules refer to sets and chains, and elements of maps to chains: each is removed after what refers to it.
    `flush table ${at}\n`,
    ...removed.filter(({ kind }) => kind === "map").map(({ name }) => `flush map ${at} ${name}\n`),
    ...found.chains.map((name) => `delete chain ${at} ${name}\n`),
    ...removed.map(({ kind, name }) => `delete ${kind} ${at} ${name}\n`),
    ...content(table),
  ].join("");
}
