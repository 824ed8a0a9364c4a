import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { messageOf } from "@orchernetes/kernel";
import {
  type AltNames,
  decodeAltNames,
  encodeAltNames,
  hostsToAltNames,
  isEmptyAltNames,
  noAltNames,
} from "./alt-names.ts";
import * as der from "./der.ts";
import { encodePublicKey, generatePrivateKey, type KeyAlgorithm, privateKeyToPem, signStructure } from "./keys.ts";
import { decodePem, encodePem, TlsMaterialError } from "./pem.ts";
import { certifiedSubject, decodeSubject, encodeSubject, type Subject } from "./subject.ts";

const extensionRequestOid = "1.2.840.113549.1.9.14";
const altNamesOid = "2.5.29.17";
// ECDSA, RSA PKCS #1 v1.5 and Ed25519 with SHA-2. SHA-1 is missing on purpose: it no longer proves possession of the
// key.
const digests: Readonly<Record<string, string | null>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": null,
};

/** A certificate signing request (PKCS #10) whose signature was verified. */
export interface CertificateRequest {
  readonly subject: Subject;
  /** The subject of a certificate for the request. */
  readonly certifiedSubject: der.Asn1;
  readonly altNames: AltNames;
  readonly publicKey: KeyObject;
}

/** The content of a new request. */
export interface CertificateRequestOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  /** The key to certify. @default a new key */
  readonly key?: KeyObject;
  /** @default "ecdsa-p256" */
  readonly keyAlgorithm?: KeyAlgorithm;
}

/** Creates a signing request and, unless one is given, its key. */
export async function createCertificateRequest(
  options: CertificateRequestOptions,
): Promise<{ readonly csrPem: string; readonly keyPem: string }> {
  const key = options.key ?? (await generatePrivateKey(options.keyAlgorithm));
  const altNames = hostsToAltNames(options.hosts ?? []);
  const extensions = isEmptyAltNames(altNames)
    ? []
    : [der.sequence(der.oid(altNamesOid), der.octetString(der.encode(encodeAltNames(altNames))))];
  const body = der.sequence(
    der.unsignedInteger(Uint8Array.of(0)),
    encodeSubject({ commonName: options.commonName, organizations: options.organizations ?? [] }),
    encodePublicKey(key),
    der.context(
      0,
      ...(extensions.length === 0
        ? []
        : [der.sequence(der.oid(extensionRequestOid), der.set(der.sequence(...extensions)))]),
    ),
  );
  return { csrPem: encodePem("CERTIFICATE REQUEST", signStructure(body, key)), keyPem: privateKeyToPem(key) };
}

/**
 * Reads a PEM signing request and verifies its signature, which proves that the sender has the private key.
 * @throws TlsMaterialError when the text is not a request, or its signature is invalid or of an unknown scheme.
 */
export function parseCertificateRequest(pem: string, source = "certificate request"): CertificateRequest {
  const block = decodePem(pem).find((candidate) => /^(NEW )?CERTIFICATE REQUEST$/.test(candidate.label));
  if (block === undefined) {
    throw new TlsMaterialError(`${source}: PEM block type must be CERTIFICATE REQUEST`);
  }
  let request: CertificateRequest;
  let signed: boolean;
  try {
    const [body, algorithm, signature] = der.children(der.decode(block.der), "request");
    const [, rawSubject, publicKeyInfo, attributes] = der.children(body, "request body");
    if (body === undefined || rawSubject === undefined || publicKeyInfo === undefined) {
      throw new Error("request body: version, subject or key is missing");
    }
    const publicKey = createPublicKey({ key: der.encode(publicKeyInfo), format: "der", type: "spki" });
    const scheme = der.dottedOid(der.children(algorithm, "signature algorithm")[0], "signature algorithm");
    const digest = Object.hasOwn(digests, scheme) ? digests[scheme] : undefined;
    if (digest === undefined) throw new Error(`signature algorithm ${scheme} is not one of RSA, ECDSA, Ed25519`);
    signed = verify(digest, der.encode(body), publicKey, der.content(signature, "signature").subarray(1));
    request = {
      subject: decodeSubject(rawSubject),
      certifiedSubject: certifiedSubject(rawSubject),
      altNames: requestedAltNames(attributes),
      publicKey,
    };
  } catch (error) {
    throw new TlsMaterialError(`${source}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!signed) throw new TlsMaterialError(`${source}: the signature does not match the key in the request`);
  return request;
}

function requestedAltNames(attributes: der.Asn1 | undefined): AltNames {
  if (attributes === undefined) return noAltNames;
  for (const attribute of der.children(attributes, "attributes")) {
    const [type, values] = der.children(attribute, "attribute");
    if (der.dottedOid(type, "attribute type") !== extensionRequestOid) continue;
    for (const extension of der.children(der.children(values, "attribute values")[0], "extensions")) {
      const fields = der.children(extension, "extension");
      if (der.dottedOid(fields[0], "extension type") !== altNamesOid) continue;
      return decodeAltNames(der.decode(der.content(fields.at(-1), "extension value")));
    }
  }
  return noAltNames;
}
