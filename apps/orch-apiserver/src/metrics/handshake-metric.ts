import type { Metrics } from "@orchernetes/component";

/** Counts TLS handshakes that fail. */
export function handshakeMetric(metrics: Metrics): () => void {
  const total = metrics.counter({
    name: "apiserver_tls_handshake_errors_total",
    help: "TLS handshakes of clients that failed.",
  });
  return () => total.inc();
}
