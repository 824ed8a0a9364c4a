import { defineResource } from "@orchernetes/apimachinery";
import { allVerbs } from "../../shared/verbs.ts";
import { eventColumns } from "./event-columns.ts";
import { Event } from "./types/event.ts";
import { validateEvent, validateLegacyEvent } from "./validation/event.ts";

const objectFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;

/** Parts of the object an event is about, as field selectors know them. */
export function selectableObject(
  prefix: string,
  object: Readonly<Partial<Record<(typeof objectFields)[number], string | undefined>>> | undefined,
): Record<string, string> {
  return Object.fromEntries(objectFields.map((name) => [`${prefix}.${name}`, object?.[name] ?? ""]));
}

/** Selector paths of {@link selectableObject}. */
export const objectSelectors = (prefix: string): readonly string[] => objectFields.map((name) => `${prefix}.${name}`);

/** `v1` events: the form in which events of both groups are stored. They end with their time to live. */
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
    // Names of events come from names of other objects, whatever their rules.
    nameFormat: "path",
    validate: (event) => validateEvent(event),
    validateUpdate: (event) => validateLegacyEvent(event),
    allowCreateOnUpdate: true,
  },
  columns: eventColumns((event) => event),
  fieldSelectors: [...objectSelectors("involvedObject"), "reason", "reportingComponent", "source", "type"],
  selectableFields: (event) => ({
    ...selectableObject("involvedObject", event.involvedObject),
    reason: event.reason ?? "",
    reportingComponent: event.reportingComponent ?? "",
    source: event.source?.component || (event.reportingComponent ?? ""),
    type: event.type ?? "",
  }),
});
