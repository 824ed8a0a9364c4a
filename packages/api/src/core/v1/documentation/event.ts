import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/event.ts`. */
export const documentation: TypeDocumentation = {
  Event: {
    "": "A report that something happened to an object. Events are kept for a limited time (one hour by default) and may be merged or lost, so nothing should depend on them.",
    metadata: objectMetadata,
    involvedObject: "The object that the event is about. It is in the event's namespace, or in none.",
    reason: "Reason for the event: a short word in CamelCase for programs, such as Scheduled or BackOff.",
    message: "A human-readable description of what happened.",
    source:
      "Which component noticed it, and on which node. New clients set reportingComponent and reportingInstance instead.",
    firstTimestamp: "When it happened for the first time, with a precision of seconds.",
    lastTimestamp: "When it happened most recently, with a precision of seconds.",
    count: "How often it has happened, over all times that were merged into this event.",
    type: "Severity: Normal or Warning. Others may be added.",
    eventTime: "When it happened for the first time, with microseconds. Required of clients of the events group.",
    series: "Count and last time of an event that repeats. Absent for a single event.",
    action: "What was done or failed with regard to the object, as a word in CamelCase such as Binding or Killing.",
    related: "A second object that is involved, such as the pod that a replica set created.",
    reportingComponent: "Name of the controller that reported the event, such as orchernetes.io/orchlet.",
    reportingInstance:
      "Which instance of that controller it was, for example the node's name or the process's identity.",
  },
  EventSource: {
    "": "Where an event comes from.",
    component: "Component that noticed what happened, such as orchlet or default-scheduler.",
    host: "Node on which the component runs.",
  },
  EventSeries: {
    "": "How an event repeats.",
    count: "How often it has happened in this series until lastObservedTime.",
    lastObservedTime: "When it was last seen, with microseconds.",
  },
  EventList: {
    "": "A list of events.",
    metadata: listMetadata,
    items: "The requested events.",
  },
};
