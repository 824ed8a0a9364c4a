import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import * as der from "./der.ts";
import { ServerNameError } from "./server-name.ts";
import { peerChain } from "./verify-chain.ts";

/**
 * Properties of server certificates that Go rejects although other software accepts or accepted them: a matching
 * common name without subject alternative names, or a signature with SHA-1.
 */
export type CertificateDeprecation = "missing-san" | "insecure-sha1";

/** The message of OpenSSL for a signature whose digest is weaker than its security level allows. */
const WEAK_DIGEST = /signature digest algorithm too weak/i;
/** The algorithms ecdsa-with-SHA1 and sha1WithRSAEncryption. */
const SHA1_SIGNATURES: ReadonlySet<string> = new Set(["1.2.840.10045.4.1", "1.2.840.113549.1.1.5"]);
/** Limit for the length of a chain of causes, which could be circular. */
const MAX_CAUSES = 8;

/**
 * The deprecation because of which a connection failed; undefined if it failed for another reason. Also searches the
 * causes of the error.
 */
export function deprecationOfError(error: unknown): CertificateDeprecation | undefined {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    if (cause instanceof ServerNameError) return cause.isCommonNameOnly ? "missing-san" : undefined;
    if (WEAK_DIGEST.test(cause.message)) return "insecure-sha1";
    ({ cause } = cause);
  }
  return undefined;
}

/**
 * The deprecations of a server certificate that is not verified. If it is verified, the list is empty: a deprecation
 * would have ended the connection.
 */
export function deprecationsOfPeer(socket: Socket): readonly CertificateDeprecation[] {
  if (!(socket instanceof TLSSocket) || socket.authorized) return [];
  const chain = peerChain(socket);
  const [own] = chain;
  const found: CertificateDeprecation[] = [];
  if (own !== undefined && own.subjectAltName === undefined) found.push("missing-san");
  // The signature of a root on itself is never checked, so its digest does not matter.
  if (chain.some((certificate) => certificate.issuer !== certificate.subject && isSignedWithSha1(certificate)))
    found.push("insecure-sha1");
  return found;
}

/**
 * Whether the outer signature algorithm uses SHA-1. RFC 5280 §4.1: Certificate ::= SEQUENCE { tbsCertificate,
 * signatureAlgorithm, signatureValue }.
 */
function isSignedWithSha1({ raw }: X509Certificate): boolean {
  try {
    const [, algorithm] = der.children(der.decode(raw), "certificate");
    const [id] = der.children(algorithm, "signature algorithm");
    return SHA1_SIGNATURES.has(der.dottedOid(id, "signature algorithm"));
  } catch {
    // OpenSSL accepts more than strict DER.
    return false;
  }
}
