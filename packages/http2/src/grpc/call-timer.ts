import { GrpcError, GrpcStatus } from "./grpc-error.ts";
import type { GrpcStream } from "./grpc-stream.ts";

/**
 * Milliseconds of silence after which a PING is sent, and within which the server must then respond. TCP alone
 * detects a dead peer only after many minutes.
 */
const PING_MS = 30_000;
const PONG_MS = 10_000;
/** Longest time of a timer; a longer one would fire at once, and again and again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The connection of a {@link CallTimer}, as the timer sees it. All times are those of `performance.now()`. */
interface TimedConnection {
  /** The calls that have not ended. */
  readonly calls: ReadonlySet<GrpcStream>;
  /** When the server was last heard; undefined while there is no connection. */
  readonly receivedMs: number | undefined;
  /** Whether this side does not read; then silence says nothing about the server. */
  readonly isPaused: boolean;
  ping(): void;
  /** The connection may be dead, or may never be established. */
  suspect(): void;
  /** The connection is dead. */
  fail(reason: string): void;
}

/** Ends calls at their deadlines, and a connection whose server does not respond: one timer for all calls. */
export class CallTimer {
  readonly #connection: TimedConnection;
  readonly #pings: boolean;
  #timer: NodeJS.Timeout | undefined;
  #checkMs = Number.POSITIVE_INFINITY;
  #pingedMs = 0;

  /** @param pings whether a silent server is asked whether it is there */
  constructor(connection: TimedConnection, pings: boolean) {
    this.#connection = connection;
    this.#pings = pings;
  }

  /** Includes one more call. */
  add({ deadlineMs, startedMs }: GrpcStream): void {
    this.#checkAt(this.#pings ? Math.min(deadlineMs, startedMs + PING_MS) : deadlineMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Ensures that there is a check no later than at `timeMs`. */
  #checkAt(timeMs: number): void {
    if (timeMs >= this.#checkMs || timeMs === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#checkMs = timeMs;
    const waitMs = Math.min(MAX_TIMER_MS, Math.max(1, timeMs - performance.now() + 1));
    this.#timer = setTimeout(() => this.#check(), waitMs).unref();
  }

  #check(): void {
    this.#checkMs = Number.POSITIVE_INFINITY;
    const { calls } = this.#connection;
    const now = performance.now();
    for (const call of calls) if (call.deadlineMs <= now) this.#expire(call);
    if (this.#pings && !this.#connection.isPaused) this.#checkAlive(now);
    if (calls.size === 0) return;
    let next = this.#pings ? now + PONG_MS : Number.POSITIVE_INFINITY;
    for (const { deadlineMs } of calls) next = Math.min(next, deadlineMs);
    this.#checkAt(next);
  }

  /**
   * Ends a call at its deadline. If the server has sent nothing since the call began, the next call uses another connection, and a PING
   * makes streams without a deadline fail soon.
   */
  #expire(call: GrpcStream): void {
    const { receivedMs, isPaused } = this.#connection;
    if ((receivedMs ?? 0) < call.startedMs && !isPaused) {
      this.#ping(performance.now());
      this.#connection.suspect();
    }
    call.cancel(new GrpcError(GrpcStatus.deadlineExceeded, "the deadline passed before the response"));
  }

  #checkAlive(now: number): void {
    const { receivedMs } = this.#connection;
    if (receivedMs === undefined) return;
    if (this.#pingedMs > receivedMs) {
      if (now - this.#pingedMs >= PONG_MS) this.#connection.fail("the server does not respond");
    } else if (now - receivedMs >= PING_MS) this.#ping(now);
  }

  /** Sends a PING, unless one is in flight. */
  #ping(now: number): void {
    const { receivedMs } = this.#connection;
    if (!this.#pings || receivedMs === undefined || this.#pingedMs > receivedMs) return;
    this.#pingedMs = now;
    this.#connection.ping();
  }
}
