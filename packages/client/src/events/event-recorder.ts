import {
  ApiError,
  type Clock,
  formatTime,
  isAlreadyExists,
  isNotFound,
  isTooManyRequests,
  systemClock,
} from "@orchernetes/apimachinery";
import type { Client } from "../client.ts";
import { type Logger, silentLogger } from "../internal/logger.ts";
import { createEventCorrelator } from "./event-correlator.ts";
import type { EventObject, EventType } from "./event-object.ts";
import { EventQueue, type EventWrite } from "./event-queue.ts";
import type { ObjectReference } from "./object-reference.ts";

export interface EventOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly action?: string;
  readonly related?: ObjectReference;
}

/** Tells users what a component did to an object. Best effort: it never throws and never makes the caller wait. */
export interface EventRecorder {
  /** `reason` is a CamelCase word; `message` is for people, cut at 1024 bytes. */
  event(object: ObjectReference, type: EventType, reason: string, message: string, options?: EventOptions): void;
  /** Resolves when all that was recorded so far has been written or given up. */
  flush(): Promise<void>;
}

export interface EventRecorderOptions {
  /** `source.component`, e.g. `orchlet`. */
  readonly component: string;
  /** `source.host`. */
  readonly host?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Drops what is still unwritten. */
  readonly signal?: AbortSignal;
  /** Events kept unwritten; more are dropped. @default 10000 */
  readonly queueSize?: number;
  /** Writes under way at the same time. @default 16 */
  readonly parallel?: number;
}

/** Why an event was never stored: too many of its source and object, too many waiting, refused, or the server was away. */
export type EventDropReason = "spam" | "queue_full" | "refused" | "unreachable";

const maxTries = 12;
const retryMs = 10_000;
const maxMessageLength = 1024;

/**
 * Records events as core/v1 Event objects, several writes at a time. Repetitions raise the count of the first (see
 * `createEventCorrelator`). A write that the server refuses is dropped; one that did not reach it is tried 12 times. What is
 * dropped is counted in the client's metrics, and the first and every thousandth is logged.
 */
export function createEventRecorder(client: Client, options: EventRecorderOptions): EventRecorder {
  const { component, host, clock = systemClock, logger = silentLogger, signal } = options;
  const correlator = createEventCorrelator();
  const dropped = new Map<EventDropReason, number>();
  let lastStamp = 0n;

  const drop = ({ involvedObject, reason }: EventObject, why: EventDropReason, error?: unknown): void => {
    const count = (dropped.get(why) ?? 0) + 1;
    dropped.set(why, count);
    client.metrics?.eventDropped?.({ component, reason: why });
    if (count !== 1 && count % 1000 !== 0) return;
    const { kind, namespace, name } = involvedObject;
    logger.warn("An event was dropped", {
      why,
      dropped: count,
      reason,
      object: `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
      ...(error === undefined ? {} : { error: String(error) }),
    });
  };
  /** Names must differ even for events of the same millisecond. */
  const nextStamp = (): string => {
    const stamp = BigInt(clock.now().getTime()) * 1_000_000n;
    lastStamp = stamp > lastStamp ? stamp : lastStamp + 1n;
    return lastStamp.toString(16);
  };

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
      // The first one has expired: begin again under a name of its own.
      const renewed = { ...event, metadata: { ...event.metadata, name: incoming.metadata.name } };
      await create(renewed);
      correlator.stored(renewed);
    }
  };

  const attempt = async (next: EventWrite): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        await write(next);
        return;
      } catch (error) {
        if (signal?.aborted) return;
        const refused = error instanceof ApiError && !isTooManyRequests(error) && error.code < 500;
        if (refused || tries >= maxTries) {
          // One that exists was written by an attempt whose answer was lost.
          if (!isAlreadyExists(error)) drop(next.incoming, refused ? "refused" : "unreachable", error);
          return;
        }
        await clock.sleep(tries === 1 ? Math.random() * retryMs : retryMs, signal).catch(() => undefined);
      }
    }
  };
  const { queueSize: size = 10_000, parallel = 16 } = options;
  const queue = new EventQueue({ size, parallel, write: attempt });
  signal?.addEventListener("abort", () => queue.clear(), { once: true });

  return {
    event(object, type, reason, message, more = {}) {
      if (signal?.aborted) return;
      const now = formatTime(clock.now());
      const event: EventObject = {
        kind: "Event",
        apiVersion: "v1",
        metadata: {
          name: `${object.name ?? ""}.${nextStamp()}`,
          namespace: object.namespace || "default",
          ...(more.annotations === undefined ? {} : { annotations: more.annotations }),
        },
        involvedObject: object,
        reason,
        message: message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 3)}...` : message,
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
      // Here rather than when written: what is too much must not take the place of what is not.
      const correlation = correlator.correlate(event, clock.now().getTime());
      if (correlation.type === "drop") drop(event, "spam");
      else if (!queue.push({ incoming: event, correlation })) drop(event, "queue_full");
    },
    flush: () => queue.flush(),
  };
}
