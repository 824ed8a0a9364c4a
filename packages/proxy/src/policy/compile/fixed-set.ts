import type { NftSet } from "../../nft/table.ts";
import { contentName } from "../values/content-name.ts";

/**
 * A set that never changes, because its name is determined by its elements. The packet filter cannot change intervals
 * reliably within one batch; these need no change.
 *
 * @param isInterval whether elements are ranges; without, the faster kind of set is used
 */
export function fixedSet(kind: string, type: string, isInterval: boolean, elements: readonly string[]): NftSet {
  return {
    kind: "set",
    name: contentName(kind, elements),
    definition: isInterval ? `type ${type}; flags interval;` : `type ${type};`,
    elements: new Map(elements.map((element) => [element, ""])),
  };
}
