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

/** Where a certificate and its key are kept. */
export interface PairPaths {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate that ends within this time is issued again. */
const renewBeforeMs = 30 * 24 * 3600 * 1000;

/**
 * The authority whose files these are; made when there is none.
 * @throws Error when the files cannot be used: what it has signed would be worth nothing with another one
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
 * Makes sure that the files hold a certificate as described, of this authority, that lasts. One of another identity, for other
 * hosts, by another authority or near its end is replaced. The key file has mode 0600.
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

/** A key that is kept may have been opened to others meanwhile, or copied here with another mode. */
function closeKey({ keyFile }: PairPaths): void {
  if ((statSync(keyFile).mode & 0o777) !== 0o600) chmodSync(keyFile, 0o600);
}

const readPair = ({ certFile, keyFile }: PairPaths): CertificatePair => ({
  certPem: readFileSync(certFile, "utf8"),
  keyPem: readFileSync(keyFile, "utf8"),
});

/** Both files are replaced at once each: whoever reads between the two finds a pair that does not match, and reads again. */
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
