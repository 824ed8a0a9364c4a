import type { ObjectReference } from "./object-reference.ts";

/** A core/v1 Event as the recorder writes it. */
export interface EventObject {
  readonly kind: "Event";
  readonly apiVersion: "v1";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly involvedObject: ObjectReference;
  /** A CamelCase word for machines, such as `FailedScheduling`. */
  readonly reason: string;
  /** For people, at most 1024 characters. */
  readonly message: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  /** How often it occurred, from `firstTimestamp` to `lastTimestamp` (RFC 3339). */
  readonly count: number;
  readonly type: EventType;
  readonly action?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** The two types of events; a `Warning` is about something that may need attention. */
export type EventType = "Normal" | "Warning";
