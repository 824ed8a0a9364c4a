import { randomInt } from "node:crypto";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { DnsMetrics } from "../metrics.ts";
import { FLAGS, RCODE } from "../wire/header.ts";
import {
  readUpstreamReply,
  type UpstreamQuestion,
  type UpstreamReply,
  writeUpstreamQuery,
} from "../wire/upstream-reply.ts";
import { AvoidedUpstreams } from "./avoided-upstreams.ts";
import { type Exchange, ExchangeError, exchangeOverTcp, exchangeOverUdp, type UpstreamAddress } from "./exchange.ts";

/** Options of a forwarder. */
export interface ForwarderOptions {
  readonly upstreams: readonly UpstreamAddress[];
  /** Time for one server to answer. @default 2 s, as CoreDNS */
  readonly timeoutMs?: number;
  /** Time for an answer, with retries. @default 5 s, after which resolvers ask again */
  readonly deadlineMs?: number;
  /** Most queries under way at once. @default 1000 */
  readonly maxConcurrent?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
  readonly signal: AbortSignal;
}

/** Part of the places that only clients with few questions get: when the others are taken, everybody else still resolves names. */
const RESERVED_PART = 0.2;

/** Asks upstream servers. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #timeoutMs: number;
  readonly #deadlineMs: number;
  readonly #maxConcurrent: number;
  #upstreams: readonly UpstreamAddress[];
  readonly #avoided: AvoidedUpstreams;
  #underWay = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 2000;
    this.#deadlineMs = options.deadlineMs ?? 5000;
    this.#maxConcurrent = options.maxConcurrent ?? 1000;
    this.#upstreams = options.upstreams;
    this.#avoided = new AvoidedUpstreams(options.clock);
  }

  get upstreams(): readonly UpstreamAddress[] {
    return this.#upstreams;
  }

  /** Replaces the servers, for later questions. */
  setUpstreams(upstreams: readonly UpstreamAddress[]): void {
    this.#upstreams = upstreams;
    this.#avoided.clear();
  }

  /** Whether another question can be asked now, by a client that has few under way or not. */
  hasCapacity(hasFew: boolean): boolean {
    const reserved = hasFew ? 0 : Math.floor(this.#maxConcurrent * RESERVED_PART);
    return this.#underWay < this.#maxConcurrent - reserved;
  }

  /**
   * Asks one server after the other until one answers, those that failed recently last. Answers that say that the server
   * does not want to or cannot answer are returned only if no other server gives one. Undefined if there is none.
   *
   * @param client address of who asks
   */
  async ask(asked: UpstreamQuestion, client: string): Promise<UpstreamReply | undefined> {
    const { clock, signal } = this.#options;
    const startMs = clock.monotonicMs();
    this.#underWay++;
    let refusal: UpstreamReply | undefined;
    try {
      for (const upstream of this.#inOrder(client)) {
        const leftMs = this.#deadlineMs - (clock.monotonicMs() - startMs);
        if (leftMs <= 0 || signal.aborted) break;
        const reply = await this.askOne(upstream, asked, Math.min(leftMs, this.#timeoutMs), client);
        if (reply === undefined) continue;
        if (reply.rcode === RCODE.noError || reply.rcode === RCODE.nxDomain) return reply;
        refusal ??= reply;
      }
      return refusal;
    } finally {
      this.#underWay--;
    }
  }

  /**
   * Asks one server, over TCP if its answer over UDP is truncated. Undefined if it does not answer in time.
   *
   * @param client address of who asks; undefined for a question of this process itself
   */
  async askOne(
    upstream: UpstreamAddress,
    asked: UpstreamQuestion,
    timeoutMs: number,
    client?: string,
  ): Promise<UpstreamReply | undefined> {
    const { clock, logger, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    const text = textOf(upstream);
    try {
      const reply = await this.#exchange(upstream, asked, timeoutMs);
      metrics.forwarded(text, reply.rcode, (clock.monotonicMs() - startMs) / 1000);
      this.#avoided.answered(text);
      return reply;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      if (error.reason === "aborted") return undefined;
      metrics.forwardFailed(text, error.reason);
      this.#avoided.failed(text, asked.name, client);
      logger.v(2)?.info("Unable to forward a DNS query", { upstream: text, reason: messageOf(error) });
      return undefined;
    }
  }

  async #exchange(upstream: UpstreamAddress, asked: UpstreamQuestion, timeoutMs: number): Promise<UpstreamReply> {
    const { clock, signal } = this.#options;
    const endMs = clock.monotonicMs() + timeoutMs;
    const exchangeOf = (withEdns: boolean): Exchange<UpstreamReply> => {
      const id = randomInt(0x1_0000);
      return {
        upstream,
        message: writeUpstreamQuery(id, asked, withEdns),
        accept: (bytes) => readUpstreamReply(bytes, id, asked),
        timeoutMs: Math.max(1, endMs - clock.monotonicMs()),
        clock,
        signal,
      };
    };
    let reply = await exchangeOverUdp(exchangeOf(true));
    // Servers without EDNS reject queries with it (RFC 6891, section 7).
    const withEdns = reply.rcode !== RCODE.formErr && reply.rcode !== RCODE.notImp;
    if (!withEdns) reply = await exchangeOverUdp(exchangeOf(false));
    if ((reply.flags & FLAGS.truncated) === 0) return reply;
    // A server without TCP leaves the truncated answer, of which clients may use what it has.
    return exchangeOverTcp(exchangeOf(withEdns)).catch(() => reply);
  }

  #inOrder(client: string): readonly UpstreamAddress[] {
    const isAvoided = (upstream: UpstreamAddress) => this.#avoided.isAvoided(textOf(upstream), client);
    return [
      ...this.#upstreams.filter((upstream) => !isAvoided(upstream)),
      ...this.#upstreams.filter((upstream) => isAvoided(upstream)),
    ];
  }
}

/** The text of a server's address in logs and metrics. */
export function textOf({ address, port }: UpstreamAddress): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
