import { noPlan, type Plan } from "@orchernetes/controller";
import {
  type CertificateAuthority,
  type CertificateRequest,
  isUsage,
  signCertificateRequest,
  validity,
} from "@orchernetes/tls";
import { signerRefusal } from "./signer-rules.ts";
import {
  isApproved,
  isFailed,
  isIssued,
  parseSigningRequest,
  type SignerName,
  type SigningRequest,
} from "./signing-request.ts";

const MINUTE_MS = 60_000;
/** Certificates start this long ago, for peers whose clock is late. */
const BACKDATE_MS = 5 * MINUTE_MS;
/** Certificates of at least this lifetime end earlier by what they start earlier. */
const SHORT_MS = 8 * 60 * MINUTE_MS;
/** Shortest lifetime that a request gets. */
const MIN_MS = 10 * MINUTE_MS;

/** What a signer signs with, and how long its certificates live at most. */
export interface Signer {
  readonly name: SignerName;
  readonly authority: CertificateAuthority;
  readonly maxLifetimeMs: number;
}

/** A request, and the signer that it names. */
export interface SigningState {
  readonly request: SigningRequest;
  readonly signer: Signer;
}

/** What a signer does about a request. */
export type SigningAction =
  | { readonly type: "Sign"; readonly request: CertificateRequest }
  | { readonly type: "Fail"; readonly message: string };

/** Signs an approved request, or says why it will never be signed. Pure. */
export function reconcile({ request, signer }: SigningState): Plan<SigningAction> {
  if (!isApproved(request) || isFailed(request) || isIssued(request)) return noPlan;
  const parsed = parseSigningRequest(request);
  if (parsed.type === "invalid") return { actions: [{ type: "Fail", message: parsed.message }] };
  const usages = request.spec.usages ?? [];
  const message = signerRefusal(signer.name, parsed.request, usages);
  if (message !== undefined) return { actions: [{ type: "Fail", message }] };
  return { actions: [{ type: "Sign", request: parsed.request }] };
}

/**
 * The certificate for a request, PEM. It never outlives the authority.
 * @throws Error if the authority has expired
 */
export function sign(request: CertificateRequest, { spec }: SigningRequest, signer: Signer, now: Date): string {
  const { authority, maxLifetimeMs } = signer;
  const { notAfterMs } = validity(authority.certificate);
  if (now.getTime() >= notAfterMs)
    throw new Error(`the signer has expired: its certificate was valid until ${new Date(notAfterMs).toISOString()}`);
  const lifetimeMs = lifetimeOf(spec.expirationSeconds, maxLifetimeMs);
  return signCertificateRequest(authority, request, {
    usages: (spec.usages ?? []).filter(isUsage),
    validityMs: lifetimeMs < SHORT_MS ? lifetimeMs : lifetimeMs - BACKDATE_MS,
    now: () => now.getTime(),
  });
}

/** The lifetime that a request gets, in milliseconds: what it asks for, between ten minutes and the signer's longest one. */
export function lifetimeOf(expirationSeconds: number | undefined, maxLifetimeMs: number): number {
  if (expirationSeconds === undefined) return maxLifetimeMs;
  const wantedMs = expirationSeconds * 1000;
  return wantedMs > maxLifetimeMs ? maxLifetimeMs : Math.max(wantedMs, MIN_MS);
}
