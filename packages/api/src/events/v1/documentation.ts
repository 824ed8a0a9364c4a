import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of events.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  Event: {
    "": "A report that something happened to an object. Events are kept for an hour only, and may be merged or dropped: nothing should depend on getting them. The same objects are served as v1 Events.",
    eventTime: "When it first happened, with microseconds. Required for new events.",
    series: "Repetitions, if it happened more than once. Absent for a single event.",
    reportingController:
      "Name of the reporting component, such as orchernetes.io/orchlet. Can't be changed. Required for new events.",
    reportingInstance:
      "Which instance of the component, such as orchlet-node-a. At most 128 characters. Can't be changed. Required for new events.",
    action:
      "What was done or failed, as a machine-readable verb. At most 128 characters. Can't be changed. Required for new events.",
    reason:
      "A machine-readable reason in CamelCase. At most 128 characters. Can't be changed. Required for new events.",
    regarding: "The object that the event is about. Can't be changed.",
    related: "A second object that is involved, such as the pod that was created. Can't be changed.",
    note: "A human-readable description of what happened. At most 1024 bytes. Can't be changed.",
    type: "Normal or Warning. Can't be changed.",
    deprecatedSource: "The reporting component, of events that were written through v1.",
    deprecatedFirstTimestamp: "When it first happened, of events that were written through v1.",
    deprecatedLastTimestamp: "When it last happened, of events that were written through v1.",
    deprecatedCount: "How often it happened, of events that were written through v1.",
  },
  EventSeries: {
    "": "Repetitions of an event that are reported together.",
    count: "How often it has happened until the last observation. At least 2.",
    lastObservedTime: "When it was last seen to happen, with microseconds.",
  },
};
