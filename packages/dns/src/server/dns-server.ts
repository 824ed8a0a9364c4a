import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import { ReplyCache } from "../cache/reply-cache.ts";
import type { DnsMetrics } from "../metrics.ts";
import type { UpstreamAddress } from "../upstream/exchange.ts";
import { Forwarder } from "../upstream/forwarder.ts";
import { LoopProbe } from "../upstream/loop-probe.ts";
import { Resolver } from "../upstream/resolver.ts";
import type { Zone } from "../zone/zone.ts";
import { Answerer } from "./answerer.ts";
import { ClientBudgets } from "./client-budgets.ts";
import { ClientLimits } from "./client-limits.ts";
import { listenOnTcp, type TcpListenerLimits } from "./tcp-listener.ts";
import { type Listener, listenOnUdp } from "./udp-listener.ts";

/** Limits of a server. Each has a default. */
export interface DnsLimits {
  readonly tcp?: TcpListenerLimits;
  /** Questions of one client that wait for upstream servers; further ones are refused. @default 50 */
  readonly maxWaitingPerClient?: number;
  /** Questions of one client in a second; those with large answers count more, and further ones are refused. @default 10,000 */
  readonly maxQueriesPerSecond?: number;
  /**
   * Questions to upstream servers under way at once; further ones are refused. A fifth of the places is for clients with five
   * questions or fewer. @default 1000
   */
  readonly maxConcurrentForwards?: number;
  readonly cacheBytes?: number;
  readonly cacheEntries?: number;
  readonly cacheSeconds?: number;
  readonly upstreamTimeoutMs?: number;
  readonly upstreamDeadlineMs?: number;
}

/** Options of a server. */
export interface DnsServerOptions {
  readonly zone: Zone;
  /** Addresses to serve on, each with UDP and TCP on the same port. Port 0: one that the system chooses. */
  readonly listeners: readonly { readonly address: string; readonly port: number }[];
  readonly upstreams: readonly UpstreamAddress[];
  readonly limits?: DnsLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
  /**
   * Whether a client, given by its address, gets answers. Packets of others are dropped, and their connections closed: an answer
   * could go to a host that did not ask. Called for every packet. @default everyone
   */
  readonly admits?: (address: string) => boolean;
  /** Returns numbers in [0, 1), for the order of answers. @default Math.random */
  readonly random?: () => number;
  /** Called before an address is bound, each time: for example to add it to an interface. Errors are retried. */
  readonly prepare?: (address: string) => Promise<void>;
  /** Called when an address is served, or cannot be: because another server has it (`isTaken`), or for another reason. */
  readonly onState?: (state: { readonly isServing: boolean; readonly isTaken: boolean }) => void;
  /** Time between two attempts to bind an address. @default 1 s */
  readonly retryMs?: number;
}

/** A DNS server. */
export interface DnsServer {
  /**
   * Serves until the signal aborts. An address that cannot be bound is retried: of two servers for one address the first
   * serves, and the other one when the first has gone. Resolves when all sockets are closed.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Replaces the upstream servers. Servers with an address of this server are left out, and the others checked for loops. */
  setUpstreams(upstreams: readonly UpstreamAddress[]): void;
  /** The addresses that are served now, with their ports. */
  readonly serving: readonly UpstreamAddress[];
  /** The cache's size, for metrics. */
  readonly cacheSize: { readonly entries: number; readonly bytes: number };
}

/** Creates a server. Nothing is opened before {@link DnsServer.run}. */
export function createDnsServer(options: DnsServerOptions): DnsServer {
  return new ClusterDnsServer(options);
}

class ClusterDnsServer implements DnsServer {
  readonly #options: DnsServerOptions;
  readonly #cache: ReplyCache;
  readonly #forwarder: Forwarder;
  readonly #loopProbe: LoopProbe;
  readonly #answerer: Answerer;
  readonly #stopped = new AbortController();
  readonly #serving = new Map<string, UpstreamAddress>();

  constructor(options: DnsServerOptions) {
    const { zone, limits = {}, clock, logger, metrics, random = Math.random } = options;
    const { maxQueriesPerSecond = 10_000 } = limits;
    this.#options = options;
    this.#cache = new ReplyCache({
      clock,
      ...(limits.cacheBytes === undefined ? {} : { maxBytes: limits.cacheBytes }),
      ...(limits.cacheEntries === undefined ? {} : { maxEntries: limits.cacheEntries }),
      ...(limits.cacheSeconds === undefined ? {} : { maxSeconds: limits.cacheSeconds }),
    });
    this.#forwarder = new Forwarder({
      upstreams: [],
      ...(limits.upstreamTimeoutMs === undefined ? {} : { timeoutMs: limits.upstreamTimeoutMs }),
      ...(limits.upstreamDeadlineMs === undefined ? {} : { deadlineMs: limits.upstreamDeadlineMs }),
      ...(limits.maxConcurrentForwards === undefined ? {} : { maxConcurrent: limits.maxConcurrentForwards }),
      clock,
      logger,
      metrics,
      signal: this.#stopped.signal,
    });
    this.#loopProbe = new LoopProbe(this.#forwarder, logger);
    this.#answerer = new Answerer({
      zone,
      resolver: new Resolver({ forwarder: this.#forwarder, cache: this.#cache, metrics }),
      loopProbe: this.#loopProbe,
      clients: new ClientLimits(limits.maxWaitingPerClient ?? 50),
      // Two seconds' worth may come at once.
      budgets: new ClientBudgets({ clock, perSecond: maxQueriesPerSecond, burst: 2 * maxQueriesPerSecond }),
      clock,
      logger,
      metrics,
      random,
    });
    this.setUpstreams(options.upstreams);
  }

  get serving(): readonly UpstreamAddress[] {
    return [...this.#serving.values()];
  }

  get cacheSize(): { readonly entries: number; readonly bytes: number } {
    return this.#cache.size;
  }

  setUpstreams(upstreams: readonly UpstreamAddress[]): void {
    const { listeners, logger } = this.#options;
    const isOwn = ({ address, port }: UpstreamAddress) =>
      listeners.some((listener) => listener.address === address && listener.port === port);
    const own = upstreams.filter(isOwn);
    if (own.length > 0) {
      logger.warn("Ignored upstream DNS servers that are addresses of the cluster DNS itself", { upstreams: own });
    }
    this.#cache.clear();
    this.#forwarder.setUpstreams(upstreams.filter((upstream) => !isOwn(upstream)));
    if (this.#serving.size > 0) this.#checkForLoops();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#options.listeners.map((listener) => this.#keepServing(listener, signal)));
    this.#stopped.abort();
  }

  async #keepServing(wanted: UpstreamAddress, signal: AbortSignal): Promise<void> {
    const { clock, logger, retryMs = 1000 } = this.#options;
    let reported = "";
    while (!signal.aborted) {
      try {
        await this.#serveOnce(wanted, signal);
        reported = "";
      } catch (error) {
        // Another server of this host may have the address for years: one line when the reason changes is enough.
        const reason = messageOf(error);
        this.#options.onState?.({ isServing: false, isTaken: isTaken(error) });
        if (reason !== reported) {
          logger.info("Unable to serve DNS on the address, retrying", { ...wanted, reason });
        }
        reported = reason;
      }
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
  }

  /** Serves on an address until the signal aborts or a socket fails. */
  async #serveOnce(wanted: UpstreamAddress, signal: AbortSignal): Promise<void> {
    const { logger, prepare } = this.#options;
    await prepare?.(wanted.address);
    const opened = await this.#open(wanted);
    const port = opened[0]?.port ?? wanted.port;
    const key = `${wanted.address} ${wanted.port}`;
    this.#serving.set(key, { address: wanted.address, port });
    logger.info("Serving DNS", { address: wanted.address, port });
    this.#options.onState?.({ isServing: true, isTaken: false });
    if (this.#serving.size === 1) this.#checkForLoops();
    try {
      await new Promise<void>((resolve, reject) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        for (const listener of opened) listener.onFailed(reject);
      });
    } finally {
      this.#serving.delete(key);
      await Promise.all(opened.map((listener) => listener.close()));
    }
  }

  /** Opens both ports of an address, or none. */
  async #open({ address, port }: UpstreamAddress): Promise<readonly Listener[]> {
    const { clock, limits, metrics, admits } = this.#options;
    const onOverload = () => metrics.dropped("overload");
    const isAdmitted = (client: string): boolean => {
      if (admits === undefined || admits(client)) return true;
      metrics.dropped("not-admitted");
      return false;
    };
    const shared = { address, onOverload, isAdmitted };
    const tcp = await listenOnTcp(this.#answerer, { ...limits?.tcp, ...shared, port, clock });
    try {
      return [tcp, await listenOnUdp(this.#answerer, { ...shared, port: tcp.port })];
    } catch (error) {
      await tcp.close();
      throw error;
    }
  }

  #checkForLoops(): void {
    const { logger } = this.#options;
    this.#loopProbe
      .run()
      .catch((error: unknown) => logger.error(error, "Unable to check the upstream DNS servers for loops"));
  }
}

const isTaken = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EADDRINUSE";
