import { randomInt } from "node:crypto";
import { ApiError, type Clock, isAlreadyExists, isTooManyRequests } from "@orchernetes/apimachinery";
import type { Client } from "../client.ts";
import type { Logger } from "../internal/logger.ts";
import { EventQueue } from "./event-queue.ts";
import type { ObjectReference } from "./object-reference.ts";

/** Why an event was never stored: too many of its source and object, too many waiting, refused, or the server was away. */
export type EventDropReason = "spam" | "queue_full" | "refused" | "unreachable";

export interface EventSinkOptions<T> {
  readonly client: Client;
  /** Whose events they are. */
  readonly component: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
  /** Events kept unwritten. @default 10000 */
  readonly queueSize?: number | undefined;
  /** Writes under way at the same time. @default 16 */
  readonly parallel?: number | undefined;
  readonly write: (item: T) => Promise<void>;
  /** One write for two of the same stored event. */
  readonly merge: (before: T, after: T) => T;
  /** For the log. */
  readonly describe: (item: T) => { readonly reason: string; readonly object: ObjectReference };
}

const nanosInMs = 1_000_000n;
const maxTries = 12;
const retryMs = 10_000;

/**
 * Writes events in the background. A write that the server refuses is dropped; one that did not reach it is tried 12 times.
 * What is dropped is counted in the client's metrics; of each reason the first and every thousandth is logged.
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

  /** Takes in what is to become of the stored event `name`. */
  push(name: string, item: T): void {
    if (!this.#queue.push(name, item)) this.drop(item, "queue_full");
  }

  /** Counts an event that is not stored. */
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

  /** Resolves when all that was taken in has been written or given up. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** A name for an event about the object; names differ even for events of the same millisecond, and those of other components. */
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
        const refused = error instanceof ApiError && !isTooManyRequests(error) && error.code < 500;
        if (refused || tries >= maxTries) {
          // One that exists was written by an attempt whose answer was lost.
          if (!isAlreadyExists(error)) this.drop(item, refused ? "refused" : "unreachable", error);
          return;
        }
        await clock.sleep(tries === 1 ? Math.random() * retryMs : retryMs, signal).catch(() => undefined);
      }
    }
  }
}

const maxMessageLength = 1024;

/** A message as long as the server takes it. */
export const shortened = (message: string): string =>
  message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 3)}...` : message;
