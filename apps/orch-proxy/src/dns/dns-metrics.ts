import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { DnsMetrics, DnsServer } from "@orchernetes/dns";

const BUCKETS = exponentialBuckets(0.00025, 2, 16);

/**
 * Registers the metrics of the DNS server: those of CoreDNS under this project's name.
 *
 * @param server the server whose cache is measured; undefined while it is being built
 */
export function dnsMetrics(metrics: Metrics, server: () => DnsServer | undefined): DnsMetrics {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    metrics.counter({ name: `orchdns_${name}`, help, labelNames });
  const requests = counter("dns_requests_total", "Queries.", "family", "proto", "type");
  const responses = counter("dns_responses_total", "Answers, by response code.", "proto", "rcode");
  const dropped = counter("dns_dropped_total", "Packets and connections that got no answer.", "reason");
  const hits = counter("cache_hits_total", "Questions that the cache answered.", "type");
  const misses = counter("cache_misses_total", "Questions that the cache could not answer.");
  const forwardFailures = counter("forward_failures_total", "Queries that a server did not answer.", "to", "reason");
  const duration = metrics.histogram({
    name: "orchdns_dns_request_duration_seconds",
    help: "Time from a query to its answer.",
    labelNames: ["proto"],
    buckets: BUCKETS,
  });
  const size = metrics.histogram({
    name: "orchdns_dns_response_size_bytes",
    help: "Sizes of answers.",
    labelNames: ["proto"],
    buckets: [100, 200, 300, 400, 511, 1023, 1232, 2047, 4095, 8191, 16_000, 32_000, 48_000, 64_000],
  });
  const forwards = metrics.histogram({
    name: "orchdns_forward_request_duration_seconds",
    help: "Time until a server answered.",
    labelNames: ["to", "rcode"],
    buckets: BUCKETS,
  });
  const cacheGauge = (name: string, help: string, value: (server: DnsServer) => number) =>
    metrics.gauge({
      name: `orchdns_${name}`,
      help,
      collect(gauge) {
        const running = server();
        if (running !== undefined) gauge.set(value(running));
      },
    });
  cacheGauge("cache_entries", "Answers in the cache.", ({ cacheSize }) => cacheSize.entries);
  cacheGauge("cache_bytes", "Memory of the cache, as an estimate.", ({ cacheSize }) => cacheSize.bytes);
  cacheGauge("serving_addresses", "Addresses that are served by this process.", ({ serving }) => serving.length);
  return {
    received: ({ family, protocol, type }) => requests.inc([family === 4 ? "1" : "2", protocol, type]),
    answered({ protocol, rcode, seconds, bytes }) {
      responses.inc([protocol, rcode]);
      duration.observe(seconds, [protocol]);
      size.observe(bytes, [protocol]);
    },
    dropped: (reason) => dropped.inc([reason]),
    cacheHit: (type) => hits.inc([type]),
    cacheMissed: () => misses.inc(),
    forwarded: (to, rcode, seconds) => forwards.observe(seconds, [to, String(rcode)]),
    forwardFailed: (to, reason) => forwardFailures.inc([to, reason]),
  };
}
