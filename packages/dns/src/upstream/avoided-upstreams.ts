import type { Clock } from "@orchernetes/kernel";

/** A server that did not answer is asked last for this time, in milliseconds. */
const AVOIDED_MS = 10_000;

/** Names and clients whose questions must have failed before a server is asked last for everyone. */
const MIN_NAMES = 3;
const MIN_CLIENTS = 2;

/** Names and clients that are kept of a server; the oldest are forgotten. */
const MAX_KEPT = 1000;

/** Failures since the last answer of a server: when they were, by name and by client. */
interface Failures {
  readonly names: Map<string, number>;
  readonly clients: Map<string, number>;
  /** Until when the server is asked last for everyone. */
  untilMs: number;
}

/**
 * Which servers are asked last because they do not answer. Whoever owns a domain can have questions about it fail: a client's failures
 * count for this client alone, until several names of several clients have failed without any answer between them.
 */
export class AvoidedUpstreams {
  readonly #clock: Clock;
  /** By the text of the server's address. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param client address of a client, or undefined for a question of this server itself, which counts for everyone at once */
  failed(upstream: string, name: string, client: string | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    const known: Failures = this.#failures.get(upstream) ?? { names: new Map(), clients: new Map(), untilMs: 0 };
    this.#failures.set(upstream, known);
    if (client !== undefined) {
      keep(known.names, name, nowMs);
      keep(known.clients, client, nowMs);
    }
    const isEveryones = known.names.size >= MIN_NAMES && known.clients.size >= MIN_CLIENTS;
    if (client === undefined || isEveryones) known.untilMs = nowMs + AVOIDED_MS;
  }

  /** The server works: failures until now say nothing any more. */
  answered(upstream: string): void {
    this.#failures.delete(upstream);
  }

  isAvoided(upstream: string, client: string): boolean {
    const known = this.#failures.get(upstream);
    if (known === undefined) return false;
    const nowMs = this.#clock.monotonicMs();
    const failedAtMs = known.clients.get(client);
    return known.untilMs > nowMs || (failedAtMs !== undefined && failedAtMs + AVOIDED_MS > nowMs);
  }

  clear(): void {
    this.#failures.clear();
  }
}

/** Notes a key with its time, the latest last, and forgets those that are too old or too many. */
function keep(times: Map<string, number>, key: string, nowMs: number): void {
  times.delete(key);
  times.set(key, nowMs);
  for (const [old, atMs] of times) {
    if (atMs + AVOIDED_MS > nowMs && times.size <= MAX_KEPT) return;
    times.delete(old);
  }
}
