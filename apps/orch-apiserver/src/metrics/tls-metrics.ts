import type { Metrics } from "@orchernetes/component";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const buckets = [
  0,
  0.5 * hour,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
  30 * day,
  90 * day,
  180 * day,
  360 * day,
];

/** Counts for how long the client certificates that requests come with still count, in seconds. */
export function certificateMetric(metrics: Metrics): (remainingSeconds: number) => void {
  const remaining = metrics
    .histogram({
      name: "apiserver_client_certificate_expiration_seconds",
      help: "Remaining lifetime, in seconds, of the certificates that authenticate requests.",
      buckets,
    })
    .with();
  return (seconds) => remaining.observe(seconds);
}

/** Counts TLS handshakes that fail. */
export function handshakeMetric(metrics: Metrics): () => void {
  const total = metrics.counter({
    name: "apiserver_tls_handshake_errors_total",
    help: "Number of failed TLS handshakes of clients.",
  });
  return () => total.inc();
}
