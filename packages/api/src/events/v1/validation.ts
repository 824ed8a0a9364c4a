import { type FieldError, field, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { eventsNames, validateEvent } from "../../core/v1/validation/event.ts";
import { immutable } from "../../shared/immutable.ts";
import { toStoredEvent } from "./conversion.ts";
import type { Event } from "./types.ts";

const kept = [
  "reportingController",
  "reportingInstance",
  "action",
  "reason",
  "regarding",
  "related",
  "note",
  "type",
  "deprecatedSource",
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "deprecatedCount",
  "eventTime",
] as const;

/** Validates a new event: it has a time of its own and none of the older fields. */
export function validateNewEvent(event: Event): FieldError[] {
  const errors: FieldError[] = [];
  const name = event.metadata.name ?? "";
  errors.push(...isDns1123Subdomain(name).map((message) => field.invalid("metadata.name", name, message)));
  if (!event.eventTime) {
    errors.push(field.required("eventTime"));
  }
  errors.push(...validateEvent(toStoredEvent({ ...event, eventTime: event.eventTime || "unset" }), eventsNames));
  const type = event.type ?? "";
  if (type === "") {
    errors.push(field.required("type"));
  } else if (type !== "Normal" && type !== "Warning") {
    errors.push(field.invalid("type", type, "has invalid value: only Normal and Warning are supported"));
  }
  const source = event.deprecatedSource;
  if (event.deprecatedFirstTimestamp) {
    errors.push(field.invalid("deprecatedFirstTimestamp", event.deprecatedFirstTimestamp, "must be unset"));
  }
  if (event.deprecatedLastTimestamp) {
    errors.push(field.invalid("deprecatedLastTimestamp", event.deprecatedLastTimestamp, "must be unset"));
  }
  if (event.deprecatedCount) {
    errors.push(field.invalid("deprecatedCount", event.deprecatedCount, "must be unset"));
  }
  if (source?.component || source?.host) {
    errors.push(field.invalid("deprecatedSource", source, "must be unset"));
  }
  errors.push(...validateSeries(event));
  return errors;
}

/** Validates a series: it starts with the second occurrence. */
function validateSeries({ series }: Event): FieldError[] {
  if (series === undefined) {
    return [];
  }
  const errors: FieldError[] = [];
  if (series.count < 2) {
    errors.push(field.invalid("series.count", series.count, "should be at least 2"));
  }
  if (!series.lastObservedTime) {
    errors.push(field.required("series.lastObservedTime"));
  }
  return errors;
}

/**
 * Validates an update of an event: only series and metadata may change. Events of the older kind follow their own
 * rules.
 */
export function validateEventUpdate(event: Event, old: Event): FieldError[] {
  const errors = kept.flatMap((name) => immutable(event[name], old[name], name));
  if (old.eventTime) {
    errors.push(...validateSeries(event));
  }
  errors.push(...validateEvent(toStoredEvent(event), eventsNames));
  return errors;
}
