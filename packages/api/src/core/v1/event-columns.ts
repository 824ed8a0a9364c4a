import type { Column } from "@orchernetes/apimachinery";
import { since } from "../../shared/columns.ts";
import type { Event } from "./types/event.ts";

const seenFirst = (event: Event): string | undefined => event.firstTimestamp || event.eventTime;

const seenLast = (event: Event): string | undefined =>
  event.series?.lastObservedTime || event.lastTimestamp || seenFirst(event);

function source({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent;
  const host = source?.host || reportingInstance;
  return host ? `${component}, ${host}` : (component ?? "");
}

function object({ involvedObject: { kind = "", name = "" } }: Event): string {
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

type Cell = readonly [string, string, 0 | 1, Column<Event>["value"]];

const cells: readonly Cell[] = [
  ["Last Seen", "Time since the event was seen last.", 0, (event, now) => since(seenLast(event), now)],
  ["Type", "Normal, or Warning.", 0, (event) => event.type ?? ""],
  ["Reason", "Why it happened, in one word.", 0, (event) => event.reason ?? ""],
  ["Object", "What it happened to.", 0, object],
  ["Subobject", "The part of the object.", 1, (event) => event.involvedObject.fieldPath ?? ""],
  ["Source", "Who reported it.", 1, source],
  ["Message", "What happened.", 0, (event) => (event.message ?? "").trim()],
  ["First Seen", "Time since the event was seen first.", 1, (event, now) => since(seenFirst(event), now)],
  ["Count", "How often it was seen.", 1, (event) => event.series?.count || event.count || 1],
  ["Name", "Name of the event.", 1, (event) => event.metadata.name ?? ""],
];

/**
 * Columns of event tables, for whichever view of the stored event `stored` reads.
 *
 * @param stored the event in its stored form
 */
export function eventColumns<T>(stored: (event: T) => Event): readonly Column<T>[] {
  return cells.map(([name, description, priority, value]) => ({
    name,
    type: "string",
    ...(name === "Name" ? { format: "name" } : {}),
    description,
    priority,
    value: (event, now) => value(stored(event), now),
  }));
}
