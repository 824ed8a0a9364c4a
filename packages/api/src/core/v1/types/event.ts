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
import { ObjectReference } from "./references.ts";

const pkg = "core/v1";

/** Where an event comes from. */
export const EventSource = message(pkg, "EventSource", () => ({
  component: optional(1, string),
  host: optional(2, string),
}));
export interface EventSource extends Infer<typeof EventSource> {}

/** A report that something happened to an object. It expires after `--event-ttl`, one hour by default. */
export const Event = object(pkg, "Event", () => ({
  metadata: value(1, ObjectMeta),
  involvedObject: required(2, ObjectReference),
  reason: optional(3, string),
  message: optional(4, string),
  source: value(5, EventSource),
  firstTimestamp: optional(6, time),
  lastTimestamp: optional(7, time),
  count: optional(8, int32),
  type: optional(9, string),
  eventTime: optional(10, microTime),
  series: pointer(11, EventSeries),
  action: optional(12, string),
  related: pointer(13, ObjectReference),
  reportingComponent: value(14, string),
  reportingInstance: value(15, string),
}));
export interface Event extends Infer<typeof Event> {}

/** How an event repeats. */
export const EventSeries = message(pkg, "EventSeries", () => ({
  count: optional(1, int32),
  lastObservedTime: optional(2, microTime),
}));
export interface EventSeries extends Infer<typeof EventSeries> {}

export const EventList = object(pkg, "EventList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Event)),
}));
export interface EventList extends Infer<typeof EventList> {}
