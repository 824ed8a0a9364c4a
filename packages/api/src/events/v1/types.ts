import {
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  microTime,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { EventSource } from "../../core/v1/types/event.ts";
import { ObjectReference } from "../../core/v1/types/references.ts";

const pkg = "events/v1";

/**
 * A report that something happened to an object. It is the same object as a core/v1 Event, in another form (`conversion.ts`).
 *
 * Source: KEP-383. Events expire after `--event-ttl`, one hour by default.
 */
export const Event = object(pkg, "Event", () => ({
  metadata: value(1, ObjectMeta),
  eventTime: required(2, microTime),
  series: pointer(3, EventSeries),
  reportingController: optional(4, string),
  reportingInstance: optional(5, string),
  action: optional(6, string),
  reason: optional(7, string),
  regarding: value(8, ObjectReference),
  related: pointer(9, ObjectReference),
  note: optional(10, string),
  type: optional(11, string),
  deprecatedSource: value(12, EventSource, { deprecated: true }),
  deprecatedFirstTimestamp: optional(13, time, { deprecated: true }),
  deprecatedLastTimestamp: optional(14, time, { deprecated: true }),
  deprecatedCount: optional(15, int32, { deprecated: true }),
}));
export interface Event extends Infer<typeof Event> {}

/** Repetitions of an event that are reported together. */
export const EventSeries = message(pkg, "EventSeries", () => ({
  count: required(1, int32),
  lastObservedTime: required(2, microTime),
}));
export interface EventSeries extends Infer<typeof EventSeries> {}

export const EventList = object(pkg, "EventList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Event)),
}));
export interface EventList extends Infer<typeof EventList> {}
