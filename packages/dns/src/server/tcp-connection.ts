import type net from "node:net";
import type { Clock, Timer } from "@orchernetes/kernel";
import { frameOf, LengthFrames } from "../transport/length-frames.ts";
import type { Answerer, DnsClient } from "./answerer.ts";
import type { Connection } from "./client-connections.ts";

/** Limits of a connection. */
export interface TcpLimits {
  /** A connection on which no question arrived and none was answered for this time is closed. @default 10 s (RFC 7766, section 6.2.3) */
  readonly idleMs?: number;
  /** Questions of a connection that wait for an answer; further ones are not read. @default 100 */
  readonly maxPipelined?: number;
}

/** Answers that a client has not read, above which its questions are no longer read. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Answers the questions of a TCP connection, in the order in which answers become known (RFC 7766, section 7). */
export class TcpConnection implements Connection {
  readonly socket: net.Socket;
  readonly #answerer: Answerer;
  readonly #client: DnsClient;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #maxPipelined: number;
  readonly #frames = new LengthFrames();
  /** Messages that were received while too many waited. At most as many as one chunk holds. */
  #unstarted: Buffer[] = [];
  #waiting = 0;
  #activeAtMs: number;
  #idle: Timer;

  constructor(
    socket: net.Socket,
    options: TcpLimits & { readonly answerer: Answerer; readonly client: DnsClient; readonly clock: Clock },
  ) {
    this.socket = socket;
    this.#answerer = options.answerer;
    this.#client = options.client;
    this.#clock = options.clock;
    this.#idleMs = options.idleMs ?? 10_000;
    this.#maxPipelined = options.maxPipelined ?? 100;
    this.#activeAtMs = options.clock.monotonicMs();
    this.#idle = this.#startIdle();
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#proceed());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#idle.clear());
  }

  get activeAtMs(): number {
    return this.#activeAtMs;
  }

  /** The time runs from the last complete question or answer, so that a client which sends byte by byte does not keep the connection. */
  #startIdle(): Timer {
    return this.#clock.setTimeout(() => this.socket.destroy(), this.#idleMs).unref();
  }

  #isActive(): void {
    this.#idle.clear();
    this.#activeAtMs = this.#clock.monotonicMs();
    if (!this.socket.destroyed) this.#idle = this.#startIdle();
  }

  #receive(chunk: Buffer): void {
    const messages = this.#frames.push(chunk);
    if (messages.length === 0) return;
    this.#unstarted.push(...messages);
    this.#proceed();
  }

  #proceed(): void {
    while (this.#unstarted.length > 0 && this.#hasSpace && !this.socket.destroyed) {
      const next = this.#unstarted.shift();
      if (next !== undefined) this.#answer(next);
    }
    if (this.#hasSpace) this.socket.resume();
    else this.socket.pause();
  }

  get #hasSpace(): boolean {
    return this.#waiting < this.#maxPipelined && this.socket.writableLength < MAX_UNREAD_BYTES;
  }

  #answer(message: Buffer): void {
    const answer = this.#answerer.answer(message, this.#client);
    if (answer === undefined) {
      // No query: who sends such messages, empty ones for example, would keep the connection without asking anything.
      this.socket.destroy();
      return;
    }
    this.#isActive();
    if (Buffer.isBuffer(answer)) {
      this.socket.write(frameOf(answer));
      return;
    }
    this.#waiting++;
    answer
      .finally(() => this.#waiting--)
      .then((late) => {
        if (this.socket.destroyed) return;
        this.socket.write(frameOf(late));
        this.#isActive();
        this.#proceed();
      })
      // Nothing rejects here; if something did, it would be about this connection and not the whole process.
      .catch(() => this.socket.destroy());
  }
}
