import { randomInt } from "node:crypto";
import { ApiError, isAlreadyExists, isTooManyRequests } from "@orchernetes/apimachinery";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Client } from "../client.ts";
import { EventQueue } from "./event-queue.ts";
import type { ObjectReference } from "./object-reference.ts";

/**
 * Why an event was dropped: rate limit of its source and object, full queue, rejected by the server, or the server
 * was unreachable.
 */
export type EventDropReason = "spam" | "queue_full" | "refused" | "unreachable";

/** How an {@link EventSink} writes, merges and describes events. */
export interface EventSinkOptions<T> {
  readonly client: Client;
  /** The component that reports the events. */
  readonly component: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
  /** Maximum number of queued events. @default 10000 */
  readonly queueSize?: number | undefined;
  /** Maximum number of concurrent writes. @default 16 */
  readonly parallel?: number | undefined;
  readonly write: (item: T) => Promise<void>;
  /** Merges two writes of the same stored event. */
  readonly merge: (before: T, after: T) => T;
  /** Description for the log. */
  readonly describe: (item: T) => { readonly reason: string; readonly object: ObjectReference };
}

/** Nanoseconds in a millisecond. */
const nanosInMs = 1_000_000n;
/** With {@link retryMs} an event survives an outage of the server of about two minutes. */
const maxTries = 12;
/** Milliseconds between attempts. */
const retryMs = 10_000;

/**
 * Writes events in the background. A write that the server rejects is dropped; one that does not reach it is tried 12 times. Dropped
 * events are counted in the client's metrics; for each reason the first and every thousandth is logged.
 */
export class EventSink<T> {
  readonly #options: EventSinkOptions<T>;
  readonly #queue: EventQueue<T>;
  readonly #dropped = new Map<EventDropReason, number>();
  #lastStamp = 0n;

  constructor(options: EventSinkOptions<T>) {
    this.#options = options;
    const { queueSize: size = 10_000, parallel = 16, merge, signal } = options;
    this.#queue = new EventQueue({ size, parallel, merge, write: (item) => this.#attempt(item) });
    signal?.addEventListener("abort", () => this.#queue.clear(), { once: true });
  }

  /** Queues a write of the stored event `name`. */
  push(name: string, item: T): void {
    if (!this.#queue.push(name, item)) this.drop(item, "queue_full");
  }

  /** Counts a dropped event. */
  drop(item: T, why: EventDropReason, error?: unknown): void {
    const { client, component, describe, logger } = this.#options;
    const count = (this.#dropped.get(why) ?? 0) + 1;
    this.#dropped.set(why, count);
    client.metrics?.eventDropped?.({ component, reason: why });
    if (count !== 1 && count % 1000 !== 0) return;
    const { reason, object } = describe(item);
    logger.warn("An event was dropped", {
      why,
      dropped: count,
      reason,
      object: `${object.kind} ${object.namespace === undefined ? "" : `${object.namespace}/`}${object.name}`,
      ...(error === undefined ? {} : { error: String(error) }),
    });
  }

  /** Resolves when all queued events have been written or dropped. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /**
   * A name for an event about the object: its name and a time stamp in nanoseconds. The part below a millisecond is
   * random, so that names of several components differ, and names of this sink increase.
   */
  nameFor({ name = "" }: ObjectReference): string {
    const stamp = BigInt(this.#options.clock.now().getTime()) * nanosInMs + BigInt(randomInt(Number(nanosInMs)));
    this.#lastStamp = stamp > this.#lastStamp ? stamp : this.#lastStamp + 1n;
    return `${name}.${this.#lastStamp.toString(16)}`;
  }

  async #attempt(item: T): Promise<void> {
    const { clock, signal, write } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        await write(item);
        return;
      } catch (error) {
        if (signal?.aborted) return;
        // A 4xx is final: the namespace is terminating, or the event is invalid. Overload and errors of the server
        // pass.
        const refused = error instanceof ApiError && !isTooManyRequests(error) && error.code < 500;
        if (refused || tries >= maxTries) {
          // AlreadyExists: an earlier attempt succeeded and its response was lost.
          if (!isAlreadyExists(error)) this.drop(item, refused ? "refused" : "unreachable", error);
          return;
        }
        // The first delay is random: when a server comes back, all components would otherwise send their events at
        // the same moment.
        await clock.sleep(tries === 1 ? Math.random() * retryMs : retryMs, signal).catch(() => undefined);
      }
    }
  }
}

const maxMessageLength = 1024;

/** The message, cut off at the length limit of the server. */
export const shortened = (message: string): string =>
  message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 3)}...` : message;
