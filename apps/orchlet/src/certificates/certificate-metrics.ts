import type { X509Certificate } from "node:crypto";
import type { Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import { validity } from "@orchernetes/tls";
import type { CertificateManager } from "./certificate-manager.ts";

/** Bounds in seconds, from a minute to four years. */
const AGES = [60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000] as const;

/** What is measured of the agent's certificates. Undefined managers are those of certificates that are not renewed. */
interface MeasuredCertificates {
  readonly serving: CertificateManager | undefined;
  readonly client: CertificateManager | undefined;
  /** The client certificate in use, whether or not it is renewed. */
  readonly clientLeaf: () => X509Certificate | undefined;
}

/** Registers the metrics of the agent's certificates. */
export function measureCertificates(
  metrics: Metrics,
  { serving, client, clientLeaf }: MeasuredCertificates,
  clock: Clock,
): void {
  const clientExpiryMs = () => {
    const leaf = clientLeaf();
    return leaf && validity(leaf).notAfterMs;
  };
  for (const [part, expiryMs] of [
    ["client", clientExpiryMs],
    ["server", () => serving?.expiryMs()],
  ] as const)
    metrics.gauge({
      name: `orchlet_certificate_manager_${part}_ttl_seconds`,
      help: `Seconds until the ${part} certificate expires, negative afterwards; +Inf without one.`,
      collect: (gauge) => {
        const expiresMs = expiryMs();
        gauge.set(expiresMs === undefined ? Number.POSITIVE_INFINITY : (expiresMs - clock.nowMs()) / 1000);
      },
    });
  const failures = metrics.counter({
    name: "orchlet_certificate_manager_client_expiration_renew_errors",
    help: "Counter of failed renewals of the client certificate.",
  });
  failures.inc([], 0);
  client?.onFailure(() => failures.inc());
  const servingFailures = metrics.counter({
    name: "orchlet_server_expiration_renew_errors",
    help: "Counter of certificate renewal errors.",
  });
  servingFailures.inc([], 0);
  serving?.onFailure(() => servingFailures.inc());
  const ages = metrics.histogram({
    name: "orchlet_certificate_manager_server_rotation_seconds",
    help: "Age in seconds of a serving certificate when it was replaced.",
    buckets: AGES,
  });
  serving?.onReplaced((ageMs) => ages.observe(ageMs / 1000));
}
