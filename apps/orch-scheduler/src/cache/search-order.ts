import type { core } from "@orchernetes/api";

/** The older names come first, as in the original. */
const REGION_LABELS = ["failure-domain.beta.orchernetes.io/region", "topology.orchernetes.io/region"];
const ZONE_LABELS = ["failure-domain.beta.orchernetes.io/zone", "topology.orchernetes.io/zone"];

function firstOf(labels: Readonly<Record<string, string>>, keys: readonly string[]): string {
  const key = keys.find((candidate) => Object.hasOwn(labels, candidate));
  return key === undefined ? "" : (labels[key] ?? "");
}

/** Identifies the zone of a node; equal for nodes in the same zone of the same region, and "" for those in none. */
export function zoneOf({ metadata: { labels = {} } }: core.Node): string {
  const [region, zone] = [firstOf(labels, REGION_LABELS), firstOf(labels, ZONE_LABELS)];
  return region === "" && zone === "" ? "" : JSON.stringify([region, zone]);
}

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
