import type { X509Certificate } from "node:crypto";
import type { Clock, Logger } from "@orchernetes/kernel";
import { validity } from "@orchernetes/tls";

/** A certificate of the agent. */
interface ExpiringCertificate {
  /** What it is for, in the log. */
  readonly use: "client" | "serving";
  /** Whether the agent renews it by itself. */
  readonly isRenewed: boolean;
  /** The one in use; undefined without one. */
  readonly leaf: () => X509Certificate | undefined;
}

/**
 * The part of its lifetime that a certificate has left when warnings begin. One that the agent renews is replaced when at least a tenth
 * of it is left.
 */
const shares = { renewed: 0.1, kept: 0.3 } as const;
/** Bounds of the time between two checks, and the time between two warnings. */
const minLookMs = 60_000;
const maxLookMs = 3_600_000;
const repeatMs = 24 * 3_600_000;

/** The warning about a certificate; undefined while it is not due. Pure. */
export function expiryWarning(leaf: X509Certificate, isRenewed: boolean, nowMs: number): string | undefined {
  const { notBeforeMs, notAfterMs } = validity(leaf);
  const share = isRenewed ? shares.renewed : shares.kept;
  if (notAfterMs - nowMs > (notAfterMs - notBeforeMs) * share) return undefined;
  const what = notAfterMs <= nowMs ? "has expired" : "expires soon";
  return isRenewed
    ? `A certificate ${what} and could not be renewed; is there an approver of certificate signing requests?`
    : `A certificate ${what}; replace its files, or set rotateCertificates (client) or serverTLSBootstrap (serving)`;
}

/** Logs a warning a day about each certificate that expires, long before it does. Resolves when the signal aborts. */
export async function warnOfExpiry(
  certificates: readonly ExpiringCertificate[],
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const warnedAtMs = new Map<ExpiringCertificate, number>();
  while (!signal.aborted) {
    let lookMs = maxLookMs;
    for (const one of certificates) {
      const leaf = one.leaf();
      if (leaf === undefined) continue;
      const { notBeforeMs, notAfterMs } = validity(leaf);
      lookMs = Math.min(lookMs, Math.max(minLookMs, (notAfterMs - notBeforeMs) / 50));
      const warning = expiryWarning(leaf, one.isRenewed, clock.nowMs());
      const isDue = clock.monotonicMs() - (warnedAtMs.get(one) ?? Number.NEGATIVE_INFINITY) >= repeatMs;
      if (warning === undefined || !isDue) continue;
      warnedAtMs.set(one, clock.monotonicMs());
      logger.warn(warning, { use: one.use, notAfter: leaf.validTo, subject: leaf.subject });
    }
    await clock.sleep(lookMs, signal).catch(() => undefined);
  }
}
