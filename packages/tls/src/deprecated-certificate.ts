import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import * as der from "./der.ts";
import { ServerNameError } from "./server-name.ts";
import { peerChain } from "./verify-chain.ts";

/**
 * What Go refuses of the certificates of servers, and other software accepts or accepted: no subject alternative names beside a
 * common name that fits, or a signature with SHA-1.
 */
export type CertificateDeprecation = "missing-san" | "insecure-sha1";

/** The words of OpenSSL for a signature whose digest is weaker than its security level allows. */
const WEAK_DIGEST = /signature digest algorithm too weak/i;
/** ecdsa-with-SHA1 and sha1WithRSAEncryption. */
const SHA1_SIGNATURES: ReadonlySet<string> = new Set(["1.2.840.10045.4.1", "1.2.840.113549.1.1.5"]);
/** Errors that wrap others, at most. */
const MAX_CAUSES = 8;

/** Why a connection could not be made; undefined if it is for something else. The error may be the cause of the one given. */
export function deprecationOfError(error: unknown): CertificateDeprecation | undefined {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    if (cause instanceof ServerNameError) return cause.isCommonNameOnly ? "missing-san" : undefined;
    if (WEAK_DIGEST.test(cause.message)) return "insecure-sha1";
    ({ cause } = cause);
  }
  return undefined;
}

/** What is wrong with the certificates of a server that are not checked; one that is checked would have ended the connection. */
export function deprecationsOfPeer(socket: Socket): readonly CertificateDeprecation[] {
  if (!(socket instanceof TLSSocket) || socket.authorized) return [];
  const chain = peerChain(socket);
  const [own] = chain;
  const found: CertificateDeprecation[] = [];
  if (own !== undefined && own.subjectAltName === undefined) found.push("missing-san");
  // Authorities may sign themselves as they like.
  if (chain.some((certificate) => certificate.issuer !== certificate.subject && isSignedWithSha1(certificate)))
    found.push("insecure-sha1");
  return found;
}

/** RFC 5280 §4.1: Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue }. */
function isSignedWithSha1({ raw }: X509Certificate): boolean {
  try {
    const [, algorithm] = der.children(der.decode(raw), "certificate");
    const [id] = der.children(algorithm, "signature algorithm");
    return SHA1_SIGNATURES.has(der.dottedOid(id, "signature algorithm"));
  } catch {
    // OpenSSL reads more than strict DER.
    return false;
  }
}
