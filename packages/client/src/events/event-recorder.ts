import { formatTime, isNotFound } from "@orchernetes/apimachinery";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import type { Client } from "../client.ts";
import { type Correlation, createEventCorrelator } from "./event-correlator.ts";
import type { EventObject, EventType } from "./event-object.ts";
import { EventSink, shortened } from "./event-sink.ts";
import type { ObjectReference } from "./object-reference.ts";

/** Optional fields of an event. */
export interface EventOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly action?: string;
  readonly related?: ObjectReference;
}

/** Records events about objects, for users. Recording is best effort: it never throws and never blocks the caller. */
export interface EventRecorder {
  /**
   * Records an event. `reason` is a CamelCase word; `message` is for people, cut at 1024 characters. An object
   * without a namespace has its events in `default`.
   */
  event(object: ObjectReference, type: EventType, reason: string, message: string, options?: EventOptions): void;
  /** Resolves when all events that were recorded so far have been written or dropped. */
  flush(): Promise<void>;
}

/** The source and the limits of an event recorder. */
export interface EventRecorderOptions {
  /** `source.component`, e.g. `orchlet`. */
  readonly component: string;
  /** `source.host`. */
  readonly host?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** When it aborts, events that are not written yet are dropped. */
  readonly signal?: AbortSignal;
  /** Maximum number of queued events; further ones are dropped. @default 10000 */
  readonly queueSize?: number;
  /** Maximum number of concurrent writes. @default 16 */
  readonly parallel?: number;
}

/** An event to be written, and how. */
interface EventWrite {
  /** The event as recorded; its name is not used by a stored event. */
  readonly incoming: EventObject;
  readonly correlation: Exclude<Correlation, { type: "drop" }>;
}

/**
 * Records events as core/v1 Event objects, several writes at a time. Repetitions increase the count of the first
 * event (see `createEventCorrelator`). Dropped events are counted and logged (see {@link EventSink}).
 *
 * @example
 * ```ts
 * const recorder = createEventRecorder(client, { component: "node-controller", signal });
 * recorder.event(referenceTo(nodes, node), "Warning", "NodeNotReady", "Node is not ready");
 * await recorder.flush(); // before the process ends
 * ```
 */
export function createEventRecorder(client: Client, options: EventRecorderOptions): EventRecorder {
  const { component, host, clock = systemClock, logger = silentLogger, signal } = options;
  const correlator = createEventCorrelator();
  const create = (event: EventObject): Promise<unknown> =>
    client.request({
      method: "POST",
      path: `/api/v1/namespaces/${encodeURIComponent(event.metadata.namespace)}/events`,
      body: event,
      ...(signal === undefined ? {} : { signal }),
    });
  const write = async ({ incoming, correlation }: EventWrite): Promise<void> => {
    const { event } = correlation;
    if (correlation.type === "create") {
      await create(event);
      return;
    }
    const { count, lastTimestamp, message } = event;
    try {
      await client.request({
        method: "PATCH",
        path: `/api/v1/namespaces/${encodeURIComponent(event.metadata.namespace)}/events/${encodeURIComponent(correlation.name)}`,
        contentType: "application/strategic-merge-patch+json",
        body: { count, lastTimestamp, message },
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The first event has expired: create a new one under a new name.
      const renewed = { ...event, metadata: { ...event.metadata, name: incoming.metadata.name } };
      await create(renewed);
      correlator.stored(renewed);
    }
  };
  const sink = new EventSink<EventWrite>({
    client,
    component,
    clock,
    logger,
    signal,
    queueSize: options.queueSize,
    parallel: options.parallel,
    write,
    merge,
    describe: ({ incoming: { reason, involvedObject } }) => ({ reason, object: involvedObject }),
  });

  return {
    event(object, type, reason, message, more = {}) {
      if (signal?.aborted) return;
      const now = formatTime(clock.now());
      const event: EventObject = {
        kind: "Event",
        apiVersion: "v1",
        metadata: {
          name: sink.nameFor(object),
          namespace: object.namespace || "default",
          ...(more.annotations === undefined ? {} : { annotations: more.annotations }),
        },
        involvedObject: object,
        reason,
        message: shortened(message),
        source: { component, ...(host === undefined ? {} : { host }) },
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        type,
        ...(more.action === undefined ? {} : { action: more.action }),
        ...(more.related === undefined ? {} : { related: more.related }),
        reportingComponent: component,
        reportingInstance: host ?? "",
      };
      // Correlated here and not when it is written, so that excess events take no place in the queue.
      const correlation = correlator.correlate(event, clock.now().getTime());
      if (correlation.type === "drop") sink.drop({ incoming: event, correlation: { type: "create", event } }, "spam");
      else sink.push(correlation.event.metadata.name, { incoming: event, correlation });
    },
    flush: () => sink.flush(),
  };
}

/** The later write replaces the earlier one; it creates the event if the earlier one would have. */
function merge(before: EventWrite, after: EventWrite): EventWrite {
  if (before.correlation.type === "bump" || after.correlation.type === "create") return after;
  const { event } = after.correlation;
  return { incoming: before.incoming, correlation: { type: "create", event } };
}
