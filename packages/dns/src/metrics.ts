/** What the server counts. The functions are called often and must not throw. */
export interface DnsMetrics {
  /** A query was read. `type` is one of a limited number of names. */
  received(query: { readonly protocol: "udp" | "tcp"; readonly family: 4 | 6; readonly type: string }): void;
  /** A query was answered after this time. */
  answered(answer: {
    readonly protocol: "udp" | "tcp";
    readonly rcode: string;
    readonly seconds: number;
    readonly bytes: number;
  }): void;
  /** A query was not answered: the packet was no query, too many were under way, or its client gets no answers. */
  dropped(reason: "not-a-query" | "overload" | "not-admitted"): void;
  cacheHit(kind: "success" | "denial" | "failure"): void;
  cacheMissed(): void;
  /** An upstream server answered. */
  forwarded(upstream: string, rcode: number, seconds: number): void;
  forwardFailed(upstream: string, reason: string): void;
}

/** Counts nothing. */
export const silentMetrics: DnsMetrics = Object.freeze({
  received() {},
  answered() {},
  dropped() {},
  cacheHit() {},
  cacheMissed() {},
  forwarded() {},
  forwardFailed() {},
});
