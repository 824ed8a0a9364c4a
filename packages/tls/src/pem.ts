import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { messageOf } from "@orchernetes/kernel";

/**
 * A certificate, key or bundle that could not be read; the message names the source, the error and what would be
 * accepted.
 */
export class TlsMaterialError extends Error {
  override readonly name = "TlsMaterialError";
}

/** One block of a PEM file. */
export interface PemBlock {
  /** The type of the block, such as `CERTIFICATE` or `EC PRIVATE KEY`. */
  readonly label: string;
  readonly der: Buffer;
  readonly pem: string;
}

/** Writes DER bytes as a PEM block with 64 characters a line. */
export function encodePem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** The blocks of a PEM text in order. Text between blocks is skipped (RFC 7468 §2). */
export function decodePem(pem: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const match of pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----\r?\n([^-]*)-----END \1-----/g)) {
    const label = match[1] ?? "";
    const base64 = (match[2] ?? "").replace(/^[A-Za-z-]+:.*$/gm, "").replace(/\s+/g, "");
    blocks.push({ label, der: Buffer.from(base64, "base64"), pem: `${match[0]}\n` });
  }
  return blocks;
}

/**
 * The certificates of a PEM text, in order.
 * @param source the name of the text in errors, such as a path or `--client-ca-file`
 * @throws TlsMaterialError when there is none, or one cannot be read.
 */
export function parseCertificates(pem: string, source: string): readonly X509Certificate[] {
  const blocks = decodePem(pem).filter((block) => block.label === "CERTIFICATE");
  if (blocks.length === 0) {
    throw new TlsMaterialError(
      `${source}: no certificate found; want PEM with at least one "-----BEGIN CERTIFICATE-----" block`,
    );
  }
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block.der);
    } catch (error) {
      throw new TlsMaterialError(
        `${source}: certificate ${index + 1} cannot be read: ${messageOf(error)}; want an X.509 certificate in PEM`,
        { cause: error },
      );
    }
  });
}

/**
 * The first private key of a PEM text (PKCS #8, PKCS #1 or SEC 1, unencrypted).
 * @throws TlsMaterialError when there is none, or it cannot be read.
 */
export function parsePrivateKey(pem: string, source: string): KeyObject {
  const block = decodePem(pem).find((candidate) => candidate.label.endsWith("PRIVATE KEY"));
  if (block === undefined) {
    throw new TlsMaterialError(`${source}: no private key found; want PEM with a "PRIVATE KEY" block (RSA or ECDSA)`);
  }
  try {
    return createPrivateKey(block.pem);
  } catch (error) {
    const hint = block.label.startsWith("ENCRYPTED") ? "encrypted keys are not accepted" : messageOf(error);
    throw new TlsMaterialError(
      `${source}: private key cannot be read: ${hint}; want an unencrypted RSA or ECDSA key in PEM`,
      { cause: error },
    );
  }
}

/**
 * Public keys of a PEM text: `PUBLIC KEY` blocks, and the public halves of private keys and certificates.
 * @throws TlsMaterialError when there is none, or one cannot be read.
 */
export function parsePublicKeys(pem: string, source: string): readonly KeyObject[] {
  const blocks = decodePem(pem).filter((block) => /(PUBLIC KEY|PRIVATE KEY|CERTIFICATE)$/.test(block.label));
  if (blocks.length === 0) {
    throw new TlsMaterialError(`${source}: no key found; want PEM with public or private RSA or ECDSA keys`);
  }
  return blocks.map((block, index) => {
    try {
      return createPublicKey(block.pem);
    } catch (error) {
      throw new TlsMaterialError(
        `${source}: key ${index + 1} cannot be read: ${messageOf(error)}; want unencrypted RSA or ECDSA keys in PEM`,
        { cause: error },
      );
    }
  });
}

/**
 * Reads a text file that the user named.
 * @throws TlsMaterialError naming the file and the error.
 */
export async function readMaterial(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new TlsMaterialError(`"${path}" cannot be read: ${messageOf(error)}; want a readable PEM file`, {
      cause: error,
    });
  }
}

/** Whether a private key belongs to a certificate. */
export function keyMatchesCertificate(certificate: X509Certificate, key: KeyObject): boolean {
  return certificate.checkPrivateKey(key);
}

/** A certificate with its chain and its key, checked to belong together. */
export interface ServingPair {
  readonly certPem: string;
  readonly keyPem: string;
  /** The leaf first. */
  readonly chain: readonly X509Certificate[];
  readonly key: KeyObject;
}

/**
 * Checks that two PEM texts are a certificate chain and the key of its leaf.
 * @throws TlsMaterialError when either cannot be read or they do not belong together.
 */
export function parseServingPair(
  pems: { readonly certPem: string; readonly keyPem: string },
  sources: { readonly cert: string; readonly key: string },
): ServingPair {
  const certificates = parseCertificates(pems.certPem, sources.cert);
  const key = parsePrivateKey(pems.keyPem, sources.key);
  return joinServingPair({ pem: pems.certPem, certificates }, { pem: pems.keyPem, key }, sources);
}

/**
 * Combines a certificate chain and a key.
 * @throws TlsMaterialError when the key is not that of the leaf.
 */
export function joinServingPair(
  { pem: certPem, certificates: chain }: CaBundle,
  { pem: keyPem, key }: PrivateKeyMaterial,
  sources: { readonly cert: string; readonly key: string },
): ServingPair {
  const leaf = chain[0];
  if (leaf === undefined || !keyMatchesCertificate(leaf, key)) {
    throw new TlsMaterialError(
      `${sources.key}: the private key does not belong to the certificate in ${sources.cert}; want the key for which this certificate was issued`,
    );
  }
  return { certPem, keyPem, chain, key };
}

/** Reads a certificate file and its key file. @throws TlsMaterialError as {@link parseServingPair}. */
export async function loadServingPair(certFile: string, keyFile: string): Promise<ServingPair> {
  const [certificates, key] = await Promise.all([loadCaBundle(certFile), loadPrivateKey(keyFile)]);
  return joinServingPair(certificates, key, { cert: `"${certFile}"`, key: `"${keyFile}"` });
}

/** The text of a file with certificates, and the certificates in the order of the file. */
export interface CaBundle {
  readonly pem: string;
  readonly certificates: readonly X509Certificate[];
}

/** The text of a file with a private key, and the key. */
export interface PrivateKeyMaterial {
  readonly pem: string;
  readonly key: KeyObject;
}

/** Reads a private key. @throws TlsMaterialError when it cannot be read or contains no usable key. */
export async function loadPrivateKey(path: string): Promise<PrivateKeyMaterial> {
  const pem = await readMaterial(path);
  return { pem, key: parsePrivateKey(pem, `"${path}"`) };
}

/**
 * Reads a CA bundle or a certificate chain.
 *
 * @throws TlsMaterialError when it cannot be read or contains no certificate.
 */
export async function loadCaBundle(path: string): Promise<CaBundle> {
  const pem = await readMaterial(path);
  return { pem, certificates: parseCertificates(pem, `"${path}"`) };
}

/** When a certificate starts and stops being valid, in milliseconds since the epoch. */
export function validity(certificate: X509Certificate): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  return { notBeforeMs: Date.parse(certificate.validFrom), notAfterMs: Date.parse(certificate.validTo) };
}
