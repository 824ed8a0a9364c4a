import type { X509Certificate } from "node:crypto";
import { hasUnknownCriticalExtension } from "./critical-extensions.ts";
import { validity } from "./pem.ts";

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyUsage = "2.5.29.37.0";
/** Maximum number of certificates in a chain, which limits the work for an untrusted client. */
const maxChainLength = 8;

/**
 * Whether a client certificate chains to one of the given authorities at this time: signatures, validity, CA flags and
 * usages are checked. Neither the certificate nor an authority in the chain may exclude client authentication by its
 * usages, or have an unhandled critical extension. For servers that trust several bundles for different purposes: the
 * TLS handshake only shows that one of them signed the certificate, not which.
 *
 * @param chain the certificate first, then intermediates in any order, as the peer sent them
 */
export function verifyClientCertificate(
  chain: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  nowMs: number,
): boolean {
  const [leaf, ...intermediates] = chain;
  if (leaf === undefined || !isCurrent(leaf, nowMs)) return false;
  if (!allowsClients(leaf) || hasUnknownCriticalExtension(leaf)) return false;
  if (roots.some((root) => root.fingerprint256 === leaf.fingerprint256)) return true;
  // From the authorities down: a signature is verified with the key of a trusted issuer only. Keys of an untrusted client may be such
  // that each verification takes as long as a hundred others.
  let issuers = roots;
  let others: readonly X509Certificate[] = intermediates;
  for (let depth = 0; depth < maxChainLength; depth++) {
    if (issuers.some((issuer) => issues(issuer, leaf, nowMs))) return true;
    const next = others.filter((one) => issuers.some((issuer) => issues(issuer, one, nowMs)));
    if (next.length === 0) return false;
    others = others.filter((one) => !next.includes(one));
    issuers = next;
  }
  return false;
}

/** Whether one certificate is that of an authority for clients that has signed the other one. */
function issues(issuer: X509Certificate, signed: X509Certificate, nowMs: number): boolean {
  return (
    issuer.ca &&
    allowsClients(issuer) &&
    isCurrent(issuer, nowMs) &&
    signed.checkIssued(issuer) &&
    signed.verify(issuer.publicKey) &&
    // The most expensive check comes last, and only for the issuer.
    !hasUnknownCriticalExtension(issuer)
  );
}

/** A certificate without the extension is valid for all usages. */
function allowsClients(certificate: X509Certificate): boolean {
  const usages = certificate.keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes(clientAuth) || usages.includes(anyUsage);
}

function isCurrent(certificate: X509Certificate, nowMs: number): boolean {
  const { notBeforeMs, notAfterMs } = validity(certificate);
  return notBeforeMs <= nowMs && nowMs <= notAfterMs;
}

/** The certificates that a TLS peer sent, starting with its own; empty when it sent none. */
export function peerChain(socket: {
  getPeerX509Certificate?: () => X509Certificate | undefined;
}): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let certificate = socket.getPeerX509Certificate?.();
  while (certificate !== undefined && chain.length < maxChainLength && !chain.includes(certificate)) {
    chain.push(certificate);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}
