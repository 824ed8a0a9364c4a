import type { KeyObject, X509Certificate } from "node:crypto";
import { type AltNames, hostsToAltNames, noAltNames } from "./alt-names.ts";
import { keyIdentifier, signCertificate } from "./certificate.ts";
import type { CertificateRequest } from "./certificate-request.ts";
import type { Asn1 } from "./der.ts";
import { generatePrivateKey, type KeyAlgorithm, privateKeyToPem, publicKeyOf } from "./keys.ts";
import { parseCertificates, parsePrivateKey, parseServingPair, TlsMaterialError, validity } from "./pem.ts";
import { certificateNames, encodeSubject } from "./subject.ts";
import type { Usage } from "./usages.ts";

const yearMs = 365 * 24 * 3600 * 1000;
/** Milliseconds by which certificates start in the past, so that a peer whose clock is slow accepts them. */
const backdateMs = 5 * 60 * 1000;

/** A certificate and its private key as PEM. */
export interface CertificatePair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** A certificate authority with its key, so that it can sign. */
export interface CertificateAuthority extends CertificatePair {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

interface Validity {
  /** @default one year (ten for an authority) */
  readonly validityMs?: number;
  /** Wall clock in milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** The options of a new authority. */
export interface CertificateAuthorityOptions extends Validity {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** @default "ecdsa-p256" */
  readonly keyAlgorithm?: KeyAlgorithm;
}

/** The options of a certificate that an authority issues. */
export interface IssueOptions extends CertificateAuthorityOptions {
  readonly usages: readonly Usage[];
  /** DNS names and IP addresses (IPv4 and IPv6). */
  readonly hosts?: readonly string[];
}

/** Creates a self-signed root that may sign certificates, valid for ten years by default. */
export async function createCertificateAuthority(options: CertificateAuthorityOptions): Promise<CertificateAuthority> {
  const key = await generatePrivateKey(options.keyAlgorithm);
  const name = encodeSubject({ commonName: options.commonName, organizations: options.organizations ?? [] });
  const now = (options.now ?? Date.now)();
  const certPem = signCertificate(
    {
      subject: name,
      issuer: name,
      publicKey: publicKeyOf(key),
      notBeforeMs: now - backdateMs,
      notAfterMs: now + (options.validityMs ?? 10 * yearMs),
      usages: ["digital signature", "key encipherment", "cert sign"],
      altNames: noAltNames,
      isCa: true,
    },
    key,
  );
  return loadCertificateAuthority({ certPem, keyPem: privateKeyToPem(key) }, "new certificate authority");
}

/**
 * Loads an authority from its PEM texts.
 * @throws TlsMaterialError when either part cannot be read, they do not belong together, or the certificate is not a
 *   CA.
 */
export function loadCertificateAuthority(pems: CertificatePair, source: string): CertificateAuthority {
  const { chain } = parseServingPair(pems, { cert: `${source} certificate`, key: `${source} key` });
  const certificate = chain[0];
  if (certificate === undefined || !certificate.ca) {
    throw new TlsMaterialError(`${source}: the certificate is not a certificate authority (basic constraints CA:TRUE)`);
  }
  return { ...pems, certificate, key: parsePrivateKey(pems.keyPem, `${source} key`) };
}

/** Generates a key and issues a certificate for it, signed by the authority. */
export async function issueCertificate(ca: CertificateAuthority, options: IssueOptions): Promise<CertificatePair> {
  const key = await generatePrivateKey(options.keyAlgorithm);
  const subject = encodeSubject({ commonName: options.commonName, organizations: options.organizations ?? [] });
  const altNames = hostsToAltNames(options.hosts ?? []);
  const certPem = signFor(ca, { subject, publicKey: publicKeyOf(key), altNames, ...options });
  return { certPem, keyPem: privateKeyToPem(key) };
}

/** Issues a serving certificate for the given hosts. */
export function issueServerCertificate(
  ca: CertificateAuthority,
  options: Omit<IssueOptions, "usages" | "hosts"> & { readonly hosts: readonly string[] },
): Promise<CertificatePair> {
  return issueCertificate(ca, { ...options, usages: ["digital signature", "key encipherment", "server auth"] });
}

/** Issues a client certificate: the common name is the user, the organizations are the groups. */
export function issueClientCertificate(
  ca: CertificateAuthority,
  options: Omit<IssueOptions, "usages" | "hosts">,
): Promise<CertificatePair> {
  return issueCertificate(ca, { ...options, usages: ["digital signature", "key encipherment", "client auth"] });
}

/**
 * Signs a request: the certified part of the subject, the key and the alternative names are those of the request, usages and lifetime those
 * of the options. Returns PEM.
 */
export function signCertificateRequest(
  ca: CertificateAuthority,
  request: CertificateRequest,
  options: Validity & { readonly usages: readonly Usage[] },
): string {
  return signFor(ca, {
    subject: request.certifiedSubject,
    publicKey: request.publicKey,
    altNames: request.altNames,
    ...options,
  });
}

function signFor(
  ca: CertificateAuthority,
  leaf: Validity & {
    readonly subject: Asn1;
    readonly publicKey: KeyObject;
    readonly altNames: AltNames;
    readonly usages: readonly Usage[];
  },
): string {
  const now = (leaf.now ?? Date.now)();
  const { notAfterMs } = validity(ca.certificate);
  return signCertificate(
    {
      ...leaf,
      issuer: certificateNames(ca.certificate).subject,
      notBeforeMs: now - backdateMs,
      // If a certificate expired after its issuer, verification would fail from then on without a visible reason.
      notAfterMs: Math.min(now + (leaf.validityMs ?? yearMs), notAfterMs),
      isCa: false,
      issuerKeyId: keyIdentifier(publicKeyOf(ca.key)),
    },
    ca.key,
  );
}

/** The certificate of a one-certificate PEM text. @throws TlsMaterialError as {@link parseCertificates}. */
export function parseCertificate(pem: string, source: string): X509Certificate {
  const [certificate] = parseCertificates(pem, source);
  if (certificate === undefined) throw new TlsMaterialError(`${source}: no certificate found`);
  return certificate;
}
