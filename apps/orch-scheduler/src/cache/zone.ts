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
