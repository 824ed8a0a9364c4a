import { constants, type ServerHttp2Session } from "node:http2";
import { type Connection, connectionOf, type OnConnection } from "./connection.ts";

/** Connections on which somebody has shown valid credentials. */
const known = new WeakSet<Connection>();

/** Notes that the client of a request has shown valid credentials; its connection may then stay idle. */
export function markKnown(request: OnConnection): void {
  const connection = connectionOf(request);
  if (!known.has(connection)) known.add(connection);
}

/** Limits for connections of clients that have not shown valid credentials. */
export interface UnknownLimits {
  /** How many there may be; beyond that the one that has been idle for the longest time is closed. @default 1000 */
  readonly most?: number;
  /** An HTTP/2 connection without a request that is worked on is closed after this time. @default 10 s */
  readonly idleMs?: number;
  /** How long a request that is on its way when the connection is closed is still answered. @default 1 s */
  readonly settleMs?: number;
  /** How long a client may take to read the end of an answer that is written. @default 60 s */
  readonly readMs?: number;
}

interface Entry {
  /** Requests whose answers the client has not taken yet. */
  readonly answers: Set<Answer>;
  /** Since when the server has had nothing to do for them. */
  idleSinceMs: number;
  /** When the client was asked to leave. */
  leavingSinceMs: number | undefined;
}

/** The greatest stream number: nothing that the client has sent is lost. */
const lastStream = 2 ** 31 - 1;

/** What an answer tells about its end: over HTTP/2 it may be complete long before the client closes its side. */
interface Answer {
  /** All of it is written, though the client, who grants the room for it, may never take it. */
  readonly writableEnded: boolean;
  once(event: "finish" | "close", listener: () => void): unknown;
}

/**
 * Keeps few connections for clients that nobody knows: they cost memory and are free for the client. A connection counts until
 * the first request with valid credentials ({@link markKnown}). Requests that are worked on keep their connection, however long
 * they take; the idle ones of HTTP/2, which the runtime would keep forever, are closed. Those of HTTP/1.1 have time limits of
 * their own and only count. Connections on which answers wait for a client that does not read them are closed, too.
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

  /** A connection was made. */
  opened(connection: Connection): void {
    this.#entries.set(connection, { answers: new Set(), idleSinceMs: this.#now(), leavingSinceMs: undefined });
    connection.once("close", () => this.#entries.delete(connection));
    this.#timer ??= setInterval(() => this.#look(), Math.max(10, this.#idleMs / 10)).unref();
    if (this.#entries.size > this.#most) this.#makeRoom();
  }

  /** A request has arrived. */
  requested(request: OnConnection, answer: Answer): void {
    if (this.#entries.size === 0) return;
    const entry = this.#entries.get(connectionOf(request));
    if (entry === undefined) return;
    entry.answers.add(answer);
    const done = () => {
      if (entry.answers.delete(answer)) entry.idleSinceMs = this.#now();
    };
    answer.once("finish", done);
    answer.once("close", done);
  }

  /** Stops looking; the connections stay as they are. */
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
      // Streams that the client leaves open would keep a session that is only closed.
      if (now - entry.leavingSinceMs >= this.#settleMs) session.destroy();
    } else if (now - entry.idleSinceMs >= this.#idleMs) {
      entry.leavingSinceMs = now;
      if (!session.closed && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, lastStream);
    }
  }

  /** Closes the connection that has been idle for the longest time. */
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

/** Whether the server works on a request of the connection. */
function isBusy({ answers }: Entry): boolean {
  for (const { writableEnded } of answers) if (!writableEnded) return true;
  return false;
}

const isHttp2 = (connection: Connection): connection is ServerHttp2Session => "goaway" in connection;
