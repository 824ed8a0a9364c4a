import type { Event as StoredEvent } from "../../core/v1/types/event.ts";
import type { Event } from "./types.ts";

/** Converts an event to the stored form of `v1`. */
export function toStoredEvent(event: Event): StoredEvent {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: event.metadata,
    involvedObject: event.regarding ?? {},
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource ?? {},
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: event.series,
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
  };
}

/** Converts a stored event to `events.o8s.io/v1`. Times that are not set are null. */
export function fromStoredEvent(stored: StoredEvent): Event {
  return {
    apiVersion: "events.o8s.io/v1",
    kind: "Event",
    metadata: stored.metadata,
    // The wire form of an unset time is null; decoding yields the same.
    eventTime: stored.eventTime ?? unset,
    series:
      stored.series === undefined
        ? undefined
        : { count: stored.series.count ?? 0, lastObservedTime: stored.series.lastObservedTime ?? unset },
    reportingController: stored.reportingComponent,
    reportingInstance: stored.reportingInstance,
    action: stored.action,
    reason: stored.reason,
    regarding: stored.involvedObject,
    related: stored.related,
    note: stored.message,
    type: stored.type,
    deprecatedSource: stored.source,
    deprecatedFirstTimestamp: stored.firstTimestamp,
    deprecatedLastTimestamp: stored.lastTimestamp,
    deprecatedCount: stored.count,
  };
}

/** The value of a required time that is not set. */
const unset = null as unknown as string;
