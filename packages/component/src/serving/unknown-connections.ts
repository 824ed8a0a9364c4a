import { constants, type ServerHttp2Session } from "node:http2";
import { type Connection, connectionOf, type OnConnection } from "@orchernetes/kernel";

/** Connections with an authenticated request. */
const known = new WeakSet<Connection>();

/** Marks the connection of a request as authenticated; it may then stay idle. */
export function markKnown(request: OnConnection): void {
  const connection = connectionOf(request);
  if (!known.has(connection)) known.add(connection);
}

/** Limits for connections of unauthenticated clients. */
export interface UnknownLimits {
  /** Maximum number; beyond it the connection that has been idle longest is closed. @default 1000 */
  readonly most?: number;
  /** Time after which an idle HTTP/2 connection is closed. @default 10 s */
  readonly idleMs?: number;
  /** Time in which requests that arrive while the connection is being closed are still served. @default 1 s */
  readonly settleMs?: number;
  /** Time in which a client must read the end of a completed response. @default 60 s */
  readonly readMs?: number;
}

interface Entry {
  /** Responses that the client has not read completely. */
  readonly answers: Set<Answer>;
  /** When the connection became idle. */
  idleSinceMs: number;
  /** When GOAWAY was sent. */
  leavingSinceMs: number | undefined;
}

/** The greatest stream identifier: a GOAWAY with it rejects no request that the client has sent. */
const lastStream = 2 ** 31 - 1;

/** The state of a response: over HTTP/2 it may be complete long before the client closes its side. */
interface Answer {
  /** Whether all of it is written, although the client may never open its flow-control window for it. */
  readonly writableEnded: boolean;
  once(event: "finish" | "close", listener: () => void): unknown;
}

/**
 * Limits the connections of unauthenticated clients, which cost the server memory and the client nothing. A connection
 * counts until its first authenticated request ({@link markKnown}). A request in progress keeps its connection open,
 * however long it takes.
 *
 * Idle HTTP/2 connections, which Node.js would keep forever, are closed. HTTP/1.1 connections have time limits of their
 * own and are only counted. Connections whose client does not read responses are closed, too.
 */
export class UnknownConnections {
  readonly #most: number;
  readonly #idleMs: number;
  readonly #settleMs: number;
  readonly #readMs: number;
  readonly #now: () => number;
  readonly #entries = new Map<Connection, Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: UnknownLimits = {}, now: () => number = () => performance.now()) {
    this.#most = limits.most ?? 1000;
    this.#idleMs = limits.idleMs ?? 10_000;
    this.#settleMs = limits.settleMs ?? 1000;
    this.#readMs = limits.readMs ?? 60_000;
    this.#now = now;
  }

  /** Must be called when a connection was accepted. */
  opened(connection: Connection): void {
    this.#entries.set(connection, { answers: new Set(), idleSinceMs: this.#now(), leavingSinceMs: undefined });
    connection.once("close", () => this.#entries.delete(connection));
    this.#timer ??= setInterval(() => this.#look(), Math.max(10, this.#idleMs / 10)).unref();
    if (this.#entries.size > this.#most) this.#makeRoom();
  }

  /** Must be called when a request has arrived. */
  requested(request: OnConnection, answer: Answer): void {
    if (this.#entries.size === 0) return;
    const connection = connectionOf(request);
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    if (known.has(connection)) {
      // The next look would find it; until then, each of its requests would get two listeners in vain.
      this.#entries.delete(connection);
      return;
    }
    entry.answers.add(answer);
    const done = () => {
      if (entry.answers.delete(answer)) entry.idleSinceMs = this.#now();
    };
    answer.once("finish", done);
    answer.once("close", done);
  }

  /** Stops checking; connections stay open. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const now = this.#now();
    for (const [connection, entry] of this.#entries) {
      if (known.has(connection)) this.#entries.delete(connection);
      else if (isBusy(entry)) entry.idleSinceMs = now;
      else if (entry.answers.size > 0) this.#limitUnread(connection, entry, now);
      else if (isHttp2(connection)) this.#limitIdle(connection, entry, now);
    }
    if (this.#entries.size === 0) this.stop();
  }

  #limitUnread(connection: Connection, entry: Entry, now: number): void {
    if (now - entry.idleSinceMs >= this.#readMs) connection.destroy();
  }

  #limitIdle(session: ServerHttp2Session, entry: Entry, now: number): void {
    if (entry.leavingSinceMs !== undefined) {
      // close() would wait for streams that the client leaves open.
      if (now - entry.leavingSinceMs >= this.#settleMs) session.destroy();
    } else if (now - entry.idleSinceMs >= this.#idleMs) {
      entry.leavingSinceMs = now;
      if (!session.closed && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, lastStream);
    }
  }

  /** Closes the connection that has been idle longest. */
  #makeRoom(): void {
    let oldest: Connection | undefined;
    let sinceMs = Number.POSITIVE_INFINITY;
    for (const [connection, entry] of this.#entries) {
      if (known.has(connection)) this.#entries.delete(connection);
      else if (!isBusy(entry) && entry.idleSinceMs < sinceMs) {
        oldest = connection;
        sinceMs = entry.idleSinceMs;
      }
    }
    if (this.#entries.size <= this.#most || oldest === undefined) return;
    this.#entries.delete(oldest);
    oldest.destroy();
  }
}

/** Whether the server is processing a request of the connection. */
function isBusy({ answers }: Entry): boolean {
  for (const { writableEnded } of answers) if (!writableEnded) return true;
  return false;
}

const isHttp2 = (connection: Connection): connection is ServerHttp2Session => "goaway" in connection;
