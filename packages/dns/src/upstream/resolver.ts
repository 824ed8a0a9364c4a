import type { CachedResolution, ReplyCache, Resolution } from "../cache/reply-cache.ts";
import type { DnsMetrics } from "../metrics.ts";
import { RCODE } from "../wire/header.ts";
import type { UpstreamQuestion } from "../wire/upstream-reply.ts";
import type { Forwarder } from "./forwarder.ts";

/** Answers questions from the cache or by upstream servers. */
export class Resolver {
  readonly #forwarder: Forwarder;
  readonly #cache: ReplyCache;
  readonly #metrics: DnsMetrics;
  /** Questions that are under way, so that clients with the same question share one answer. */
  readonly #underWay = new Map<string, Promise<Resolution>>();

  constructor(options: { readonly forwarder: Forwarder; readonly cache: ReplyCache; readonly metrics: DnsMetrics }) {
    this.#forwarder = options.forwarder;
    this.#cache = options.cache;
    this.#metrics = options.metrics;
  }

  /** What is cached about a question. Counts a hit or a miss. */
  cached(asked: UpstreamQuestion): CachedResolution | undefined {
    const cached = this.#cache.get(keyOf(asked));
    if (cached === undefined) this.#metrics.cacheMissed();
    else this.#metrics.cacheHit(kindOf(cached.resolution));
    return cached;
  }

  /**
   * Asks the upstream servers. Undefined if there are none, or as many questions as allowed are under way.
   *
   * @param client address of who asks
   * @param hasFew whether the client has few questions under way, for which some places are kept
   */
  ask(asked: UpstreamQuestion, client: string, hasFew: boolean): Promise<Resolution> | undefined {
    const key = keyOf(asked);
    const shared = this.#underWay.get(key);
    if (shared !== undefined) return shared;
    if (this.#forwarder.upstreams.length === 0 || !this.#forwarder.hasCapacity(hasFew)) return undefined;
    const asking = this.#ask(key, asked, client).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asking);
    return asking;
  }

  async #ask(key: string, asked: UpstreamQuestion, client: string): Promise<Resolution> {
    const reply = await this.#forwarder.ask(asked, client);
    const resolution: Resolution = reply === undefined ? { kind: "failed" } : { kind: "reply", reply };
    this.#cache.set(key, resolution);
    return resolution;
  }
}

/** Answers differ with the flags: signatures are only sent to clients that want them, or that check them themselves. */
function keyOf({ name, type, dnssecOk, checkingDisabled }: UpstreamQuestion): string {
  return `${type} ${dnssecOk ? 1 : 0}${checkingDisabled ? 1 : 0} ${name}`;
}

function kindOf(resolution: Resolution): "success" | "denial" | "failure" {
  if (resolution.kind === "failed") return "failure";
  const { rcode, answers } = resolution.reply;
  return rcode === RCODE.noError && answers.length > 0 ? "success" : "denial";
}
