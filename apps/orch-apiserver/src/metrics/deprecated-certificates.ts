import type { Metrics } from "@orchernetes/component";
import type { CertificateDeprecation } from "@orchernetes/tls";

/** Counts requests to webhooks, or to extension servers, by what is deprecated in the certificates of these. */
export function deprecatedCertificates(
  metrics: Metrics,
  servers: "webhooks" | "orch_aggregator",
): (what: CertificateDeprecation) => void {
  const missingSan = metrics.counter({
    name: `apiserver_${servers}_x509_missing_san_total`,
    help: "Number of requests to servers whose certificate has no subject alternative names.",
  });
  const insecureSha1 = metrics.counter({
    name: `apiserver_${servers}_x509_insecure_sha1_total`,
    help: "Number of requests to servers whose certificate has a SHA-1 signature.",
  });
  return (what) => (what === "missing-san" ? missingSan : insecureSha1).inc();
}
