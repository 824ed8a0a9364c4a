import { type ApiObject, defineResource } from "@orchernetes/apimachinery";
import { events as coreEvents, eventColumns, objectSelectors, selectableObject } from "../../core/v1/event.ts";
import type { Event as StoredEvent } from "../../core/v1/types/event.ts";
import { allVerbs, erase } from "../../shared/definitions.ts";
import { fromStoredEvent, toStoredEvent } from "./conversion.ts";
import { Event } from "./types.ts";
import { validateEventUpdate, validateNewEvent } from "./validation.ts";

const setRegarding = selectableObject("regarding");

/** `events.o8s.io/v1` events: the same objects as `v1` events under newer names. */
export const events = defineResource<Event>({
  group: "events.o8s.io",
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
  storedAs: {
    definition: erase(coreEvents),
    toStored: toStoredEvent,
    fromStored: (stored: ApiObject) => fromStoredEvent(stored as StoredEvent),
  },
  strategy: {
    nameFormat: "path",
    validate: validateNewEvent,
    validateUpdate: validateEventUpdate,
    allowCreateOnUpdate: true,
  },
  columns: eventColumns(toStoredEvent),
  fieldSelectors: [...objectSelectors("regarding"), "reason", "reportingController", "type"],
  selectableFields: (event) => {
    const fields = {
      reason: event.reason ?? "",
      reportingController: event.reportingController ?? "",
      type: event.type ?? "",
    };
    return setRegarding(fields, event.regarding);
  },
});
