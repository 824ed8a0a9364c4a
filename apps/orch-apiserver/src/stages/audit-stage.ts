import { systemClock } from "@orchernetes/kernel";
import type { Audit } from "../audit/create-audit.ts";
import { auditMetrics } from "../metrics/audit-metrics.ts";
import { deprecatedCertificates } from "../metrics/deprecated-certificates.ts";
import type { ServerProcess } from "./process.ts";

/** Opens the audit log and the audit webhook; undefined if nothing is to be recorded. */
export async function openAudit({
  config,
  metrics,
  logger,
  egress,
  ended,
}: Pick<ServerProcess, "config" | "metrics" | "logger" | "egress" | "ended">): Promise<Audit | undefined> {
  const counts = auditMetrics(metrics);
  if (config.audit === undefined) return undefined;
  // Imported only if requests are to be recorded, because it costs start-up time.
  const { createAudit } = await import("../audit/create-audit.ts");
  return createAudit(config.audit, {
    metrics: counts,
    clock: systemClock,
    logger,
    async poster({ configFile, initialBackoffMs }) {
      const dial = egress.dialer("controlplane");
      const { auditPoster } = await import("../audit/audit-poster.ts");
      return auditPoster({
        configFile,
        initialBackoffMs,
        dial,
        clock: systemClock,
        signal: ended,
        onDeprecated: deprecatedCertificates(metrics, "webhooks"),
      });
    },
  });
}
