import type { core } from "@orchernetes/api";
import { zoneOf } from "./zone.ts";

/**
 * The order in which nodes are examined: zones alternate, so that a search that ends early has covered every zone.
 *
 * @param nodes by slot
 * @returns the slots of nodes
 */
export function searchOrder(nodes: readonly (core.Node | undefined)[]): Int32Array {
  const zones = new Map<string, number[]>();
  let size = 0;
  for (const [slot, node] of nodes.entries()) {
    if (node === undefined) continue;
    const zone = zoneOf(node);
    const slots = zones.get(zone);
    if (slots === undefined) zones.set(zone, [slot]);
    else slots.push(slot);
    size++;
  }
  const order = new Int32Array(size);
  let filled = 0;
  for (let turn = 0; filled < size; turn++)
    for (const slots of zones.values()) {
      const slot = slots[turn];
      if (slot !== undefined) order[filled++] = slot;
    }
  return order;
}
