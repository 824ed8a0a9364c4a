import { assertNever, type Clock, type Logger } from "@orchernetes/kernel";
import type { Resolution } from "../cache/reply-cache.ts";
import type { DnsMetrics } from "../metrics.ts";
import { type LoopProbe, questionOf } from "../upstream/loop-probe.ts";
import type { Resolver } from "../upstream/resolver.ts";
import { FLAGS, RCODE } from "../wire/header.ts";
import { type Query, readQuery } from "../wire/query.ts";
import { typeName } from "../wire/record-types.ts";
import { type AnsweredQuery, type Reply, ReplyWriter } from "../wire/reply-writer.ts";
import { replyFromUpstream, replyLimit, type UpstreamQuestion } from "../wire/upstream-reply.ts";
import { minimalRecord } from "../zone/records.ts";
import type { Zone } from "../zone/zone.ts";
import type { ClientBudgets } from "./client-budgets.ts";
import type { ClientLimits } from "./client-limits.ts";
import { aliasReply, followAlias } from "./follow-alias.ts";
import { rcodeText, typeText } from "./metric-labels.ts";
import { shuffled } from "./shuffled.ts";

/** Who sent a packet. */
export interface DnsClient {
  readonly address: string;
  readonly family: 4 | 6;
  readonly protocol: "udp" | "tcp";
}

/** What answers are made from. */
export interface AnswererOptions {
  readonly zone: Zone;
  readonly resolver: Pick<Resolver, "cached" | "ask">;
  readonly loopProbe: Pick<LoopProbe, "receive">;
  readonly clients: ClientLimits;
  readonly budgets: ClientBudgets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
}

/** Answers packets: of the zone at once, of other names from the cache or when an upstream server has answered. */
export class Answerer {
  readonly #options: AnswererOptions;
  readonly #writer = new ReplyWriter();
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  /** The answer to a packet; undefined if none is due. It neither throws nor rejects: what fails is answered with SERVFAIL. */
  answer(packet: Buffer, client: DnsClient): Buffer | undefined | Promise<Buffer> {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    const received = readQuery(packet);
    const { protocol, family } = client;
    if (received.kind === "ignored") {
      metrics.dropped("not-a-query");
      return undefined;
    }
    metrics.received({ protocol, family, type: typeText(received.query.type) });
    const finish = (answer: Buffer): Buffer => {
      const seconds = (clock.monotonicMs() - startMs) / 1000;
      metrics.answered({ protocol, rcode: rcodeText(answer), seconds, bytes: answer.length });
      return answer;
    };
    if (received.kind === "rejected") {
      return finish(this.#write(received.query, { rcode: received.rcode }, client));
    }
    if (!this.#options.budgets.enter(client.address)) {
      return finish(this.#write(received.query, { rcode: RCODE.refused }, client));
    }
    const failed = (error: unknown): Buffer => {
      this.#report(error);
      return this.#write(received.query, { rcode: RCODE.servFail }, client);
    };
    let answer: Buffer | Promise<Buffer>;
    try {
      answer = this.#answerQuery(received.query, client);
    } catch (error) {
      answer = failed(error);
    }
    return Buffer.isBuffer(answer) ? finish(answer) : answer.catch(failed).then(finish);
  }

  /** Whoever finds a question that fails can send many of them: the log has one a minute. */
  #report(error: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#reportedAtMs < REPORT_MS) return;
    this.#reportedAtMs = nowMs;
    this.#options.logger.error(error, "Answered SERVFAIL because a DNS query failed");
  }

  #answerQuery(query: Query, client: DnsClient): Buffer | Promise<Buffer> {
    const { zone, loopProbe, random } = this.#options;
    const type = typeName(query.type);
    const found = zone.lookUp(query.name, type);
    switch (found.kind) {
      case "outside":
        if (loopProbe.receive(query.name)) return this.#write(query, { rcode: RCODE.refused }, client);
        if (type === "ANY") {
          return this.#write(
            query,
            { rcode: RCODE.noError, answers: [minimalRecord(query.name, ANY_SECONDS)] },
            client,
          );
        }
        return this.#forward(query, client);
      case "unsynced":
        return this.#write(query, { rcode: RCODE.servFail }, client);
      case "noSuchName":
        return this.#write(query, { rcode: RCODE.nxDomain, authoritative: true, authorities: [found.soa] }, client);
      case "records": {
        const { additionals, soa } = found;
        const answers = shuffled(found.answers, random);
        const authorities = answers.length === 0 ? [soa] : [];
        const reply: Reply = { rcode: RCODE.noError, authoritative: true, answers, authorities, additionals };
        return this.#write(query, reply, client);
      }
      case "alias": {
        const end = followAlias(zone, found, type);
        if (end.kind === "reply") return this.#write(query, end.reply, client);
        const asked = { ...askedOf(query), name: end.target, question: questionOf(end.target, query.type) };
        const limitBytes = replyLimit(query, client.protocol);
        return this.#resolve(asked, client, (resolution, ageSeconds) =>
          this.#write(query, aliasReply(end.records, query.type, resolution, { ageSeconds, limitBytes }), client),
        );
      }
      default:
        return assertNever(found);
    }
  }

  #forward(query: Query, client: DnsClient): Buffer | Promise<Buffer> {
    return this.#resolve(askedOf(query), client, (resolution, ageSeconds) => {
      if (resolution === undefined) return this.#write(query, { rcode: RCODE.refused }, client);
      if (resolution.kind === "failed") return this.#write(query, { rcode: RCODE.servFail }, client);
      return replyFromUpstream(resolution.reply, query, ageSeconds, replyLimit(query, client.protocol));
    });
  }

  /** Calls `finish` with what is known about a question; undefined if it cannot be asked now. */
  #resolve(
    asked: UpstreamQuestion,
    { address }: DnsClient,
    finish: (resolution: Resolution | undefined, ageSeconds: number) => Buffer,
  ): Buffer | Promise<Buffer> {
    const { resolver, clients } = this.#options;
    const cached = resolver.cached(asked);
    if (cached !== undefined) return finish(cached.resolution, cached.ageSeconds);
    if (!clients.enter(address)) return finish(undefined, 0);
    const asking = resolver.ask(asked, address, clients.hasFew(address));
    if (asking === undefined) {
      clients.leave(address);
      return finish(undefined, 0);
    }
    return asking.finally(() => clients.leave(address)).then((resolution) => finish(resolution, 0));
  }

  #write(query: AnsweredQuery, reply: Reply, { address, protocol }: DnsClient): Buffer {
    const records = (reply.answers?.length ?? 0) + (reply.additionals?.length ?? 0);
    if (records >= RECORDS_PER_TOKEN) this.#options.budgets.charge(address, Math.floor(records / RECORDS_PER_TOKEN));
    return this.#writer.write(query, reply, replyLimit(query, protocol));
  }
}

/** TTL of the answer to type ANY for names of others, in seconds: RFC 8482 proposes a long one. */
const ANY_SECONDS = 3600;

/** Records that cost as much as a question, about: they are collected before it is known how many fit into the answer. */
const RECORDS_PER_TOKEN = 16;

/** Time between two lines of the log about questions that failed. */
const REPORT_MS = 60_000;

function askedOf(query: Query): UpstreamQuestion {
  const { name, type, question, edns, flags } = query;
  return {
    name,
    type,
    question,
    dnssecOk: edns?.dnssecOk === true,
    checkingDisabled: (flags & FLAGS.checkingDisabled) !== 0,
  };
}
