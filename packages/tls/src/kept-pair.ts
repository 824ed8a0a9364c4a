import { randomBytes, type X509Certificate } from "node:crypto";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import {
  type CertificateAuthority,
  type CertificateAuthorityOptions,
  type CertificatePair,
  createCertificateAuthority,
  type IssueOptions,
  issueCertificate,
  loadCertificateAuthority,
} from "./certificate-authority.ts";
import { parseServingPair, validity } from "./pem.ts";
import { certificateIdentity } from "./subject.ts";
import { extendedKeyUsages } from "./usages.ts";

/** Paths of a certificate and its key. */
export interface PairPaths {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate that expires within this time (milliseconds) is renewed. */
const renewBeforeMs = 30 * 24 * 3600 * 1000;

/**
 * Loads the authority from the files, or creates it if there is none.
 * @throws Error when the files cannot be used: a new authority would invalidate all certificates it has signed
 */
export async function keepAuthority(
  paths: PairPaths,
  options: CertificateAuthorityOptions,
): Promise<CertificateAuthority> {
  if (existsSync(paths.certFile)) {
    const found = loadCertificateAuthority(readPair(paths), paths.certFile);
    closeKey(paths);
    return found;
  }
  const authority = await createCertificateAuthority(options);
  savePair(paths, authority);
  return authority;
}

/**
 * Ensures that the files contain a valid certificate as described. Replaces one with a different identity, different
 * hosts, a different authority, or less than 30 days left. The key file has mode 0600.
 *
 * @returns whether a certificate was issued
 */
export async function keepPair(paths: PairPaths, ca: CertificateAuthority, options: IssueOptions): Promise<boolean> {
  if (existsSync(paths.certFile) && existsSync(paths.keyFile) && isAsIssued(readPair(paths), ca, options)) {
    closeKey(paths);
    return false;
  }
  savePair(paths, await issueCertificate(ca, options));
  return true;
}

/** Restricts an existing key, whose mode may have changed, for example by copying. */
function closeKey({ keyFile }: PairPaths): void {
  if ((statSync(keyFile).mode & 0o777) !== 0o600) chmodSync(keyFile, 0o600);
}

const readPair = ({ certFile, keyFile }: PairPaths): CertificatePair => ({
  certPem: readFileSync(certFile, "utf8"),
  keyPem: readFileSync(keyFile, "utf8"),
});

/**
 * Replaces each file atomically: a reader that sees only one of them replaced finds a mismatched pair, and reads again.
 */
function savePair({ certFile, keyFile }: PairPaths, { certPem, keyPem }: CertificatePair): void {
  replace(keyFile, keyPem, 0o600);
  replace(certFile, certPem, 0o644);
}

function replace(file: string, text: string, mode: number): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { mode, flag: "wx" });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isAsIssued(known: CertificatePair, ca: CertificateAuthority, options: IssueOptions): boolean {
  const { commonName, organizations = [], hosts = [], usages, now = Date.now } = options;
  let leaf: X509Certificate | undefined;
  try {
    [leaf] = parseServingPair(known, { cert: "certificate", key: "key" }).chain;
  } catch {
    return false;
  }
  if (leaf === undefined || !leaf.checkIssued(ca.certificate) || !leaf.verify(ca.certificate.publicKey)) return false;
  const { notBeforeMs, notAfterMs } = validity(leaf);
  if (now() < notBeforeMs || now() > notAfterMs - renewBeforeMs) return false;
  const identity = certificateIdentity(leaf);
  const same = (a: readonly string[], b: readonly string[]) =>
    a.length === b.length && a.every((one) => b.includes(one));
  if (identity.commonName !== commonName || !same(identity.organizations, organizations)) return false;
  if (!same((leaf.keyUsage as readonly string[] | undefined) ?? [], extendedKeyUsages(usages))) return false;
  const named = (leaf.subjectAltName ?? "").split(", ").filter((name) => name !== "");
  const unique = new Set(hosts);
  const isNamed = (host: string) => (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined;
  return named.length === unique.size && [...unique].every(isNamed);
}
