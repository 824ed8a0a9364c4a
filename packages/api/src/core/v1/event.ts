import { type Column, defineResource } from "@orchernetes/apimachinery";
import { since } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { Event } from "./types/event.ts";
import { validateEvent, validateLegacyEvent } from "./validation/event.ts";

/**
 * Events of the older API have `firstTimestamp` and `lastTimestamp`, those of events.o8s.io `eventTime` and a series
 * (KEP-383).
 */
const seenFirst = (event: Event): string | undefined => event.firstTimestamp || event.eventTime;

const seenLast = (event: Event): string | undefined =>
  event.series?.lastObservedTime || event.lastTimestamp || seenFirst(event);

/** Component and host, of either form of event. */
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
 * Columns of event tables, for both views of stored events.
 *
 * @param stored returns the event in its stored form
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

const objectFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;

/** The object of an event. */
type EventObject = Readonly<Partial<Record<(typeof objectFields)[number], string | undefined>>>;

/** The selector paths of {@link selectableObject}. */
export const objectSelectors = (prefix: string): readonly string[] => objectFields.map((name) => `${prefix}.${name}`);

/**
 * Returns a function that sets the parts of the event's object by which events can be selected. The names are put together once, and not
 * for each of many events.
 */
export function selectableObject(
  prefix: string,
): (fields: Record<string, string>, object: EventObject | undefined) => Record<string, string> {
  const names = objectFields.map((name) => [`${prefix}.${name}`, name] as const);
  return (fields, object) => {
    for (const [path, name] of names) fields[path] = object?.[name] ?? "";
    return fields;
  };
}

const setInvolved = selectableObject("involvedObject");

/** `v1` events, the form in which events of both groups are stored. They expire after the time of `--event-ttl`. */
export const events = defineResource<Event>({
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  singular: "event",
  shortNames: ["ev"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: Event,
  storagePrefix: "/registry/events",
  expires: true,
  strategy: {
    // Names of events contain those of other objects, which follow other rules.
    nameFormat: "path",
    validate: (event) => validateEvent(event),
    validateUpdate: (event) => validateLegacyEvent(event),
    allowCreateOnUpdate: true,
  },
  columns: eventColumns((event) => event),
  fieldSelectors: [...objectSelectors("involvedObject"), "reason", "reportingComponent", "source", "type"],
  selectableFields: (event) => {
    const fields = {
      reason: event.reason ?? "",
      reportingComponent: event.reportingComponent ?? "",
      source: event.source?.component || (event.reportingComponent ?? ""),
      type: event.type ?? "",
    };
    return setInvolved(fields, event.involvedObject);
  },
});
