import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import { type CertificatePair, createCertificateAuthority, issueServerCertificate } from "./certificate-authority.ts";
import { loadServingPair, TlsMaterialError, validity } from "./pem.ts";

/** The hosts and the validity of a self-signed serving pair. */
export interface SelfSignedOptions {
  /** DNS names and IP addresses for the certificate; the first is its common name. */
  readonly hosts: readonly string[];
  /** @default one year */
  readonly validityMs?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

/** The files in which a self-signed serving pair is stored. */
export interface SelfSignedPairOptions extends SelfSignedOptions {
  /** The directory; it is created if it does not exist. */
  readonly certDir: string;
  /** File name without ending: `<name>.crt` and `<name>.key`. */
  readonly name: string;
}

/** The files of a serving pair. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** True if this call created the pair, false if it reused an existing one. */
  readonly created: boolean;
}

/**
 * Ensures that a self-signed serving pair exists: a usable one is reused, a missing, expired, broken or mismatched one
 * is replaced. The key file has mode 0600. See {@link createSelfSignedPair}.
 * @throws TlsMaterialError when the directory cannot be written.
 */
export async function ensureSelfSignedPair(options: SelfSignedPairOptions): Promise<PairFiles> {
  const { certDir, name } = options;
  const now = options.now ?? Date.now;
  const certFile = join(certDir, `${name}.crt`);
  const keyFile = join(certDir, `${name}.key`);
  if (await isUsable(certFile, keyFile, now())) return { certFile, keyFile, created: false };

  const pair = await createSelfSignedPair(options);
  try {
    await mkdir(certDir, { recursive: true });
    await replaceFile(keyFile, pair.keyPem, 0o600);
    await replaceFile(certFile, pair.certPem, 0o644);
  } catch (error) {
    const why = messageOf(error);
    throw new TlsMaterialError(
      `cannot write a self-signed serving certificate into "${certDir}": ${why}; want a writable --cert-dir, or --tls-cert-file and --tls-private-key-file`,
      { cause: error },
    );
  }
  return { certFile, keyFile, created: true };
}

/**
 * Creates a serving pair that is signed by a temporary authority. The certificate text holds the leaf and the
 * authority; the authority's key is not kept.
 */
export async function createSelfSignedPair(options: SelfSignedOptions): Promise<CertificatePair> {
  const { hosts, now = Date.now, validityMs = 365 * 24 * 3600 * 1000 } = options;
  const commonName = hosts[0] ?? "localhost";
  const ca = await createCertificateAuthority({ commonName: `${commonName}-ca@${now()}`, validityMs, now });
  const leaf = await issueServerCertificate(ca, { commonName, hosts, validityMs, now });
  return { certPem: leaf.certPem + ca.certPem, keyPem: leaf.keyPem };
}

async function isUsable(certFile: string, keyFile: string, nowMs: number): Promise<boolean> {
  try {
    const { chain } = await loadServingPair(certFile, keyFile);
    const leaf = chain[0];
    if (leaf === undefined) return false;
    const { notBeforeMs, notAfterMs } = validity(leaf);
    return notBeforeMs <= nowMs && nowMs < notAfterMs;
  } catch {
    return false;
  }
}

/** Writes beside the target and renames, so that no reader sees a partly written file, even after a crash. */
async function replaceFile(path: string, data: string, mode: number): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, data, { mode, flag: "wx" });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
