import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { assertNever } from "@orchernetes/kernel";
import { type Asn1, bitString, decode, encode, nullValue, oid, sequence } from "./der.ts";

/** The key types that this package generates; ECDSA P-256 is the default everywhere. */
export type KeyAlgorithm = "ecdsa-p256" | "ecdsa-p384" | "rsa-2048" | "rsa-4096" | "ed25519";

const generate = promisify(generateKeyPair);

/** Generates a private key. RSA takes much longer than the others: up to seconds for 4096 bits. */
export async function generatePrivateKey(algorithm: KeyAlgorithm = "ecdsa-p256"): Promise<KeyObject> {
  switch (algorithm) {
    case "ecdsa-p256":
      return (await generate("ec", { namedCurve: "P-256" })).privateKey;
    case "ecdsa-p384":
      return (await generate("ec", { namedCurve: "P-384" })).privateKey;
    case "rsa-2048":
      return (await generate("rsa", { modulusLength: 2048 })).privateKey;
    case "rsa-4096":
      return (await generate("rsa", { modulusLength: 4096 })).privateKey;
    case "ed25519":
      return (await generate("ed25519")).privateKey;
    default:
      return assertNever(algorithm);
  }
}

/**
 * Encodes a private key as PEM in the form that other tools expect: SEC 1 (`EC PRIVATE KEY`), PKCS #1 (`RSA PRIVATE
 * KEY`), PKCS #8 for the rest.
 */
export function privateKeyToPem(key: KeyObject): string {
  if (key.asymmetricKeyType === "ec") return key.export({ type: "sec1", format: "pem" }).toString();
  if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs1", format: "pem" }).toString();
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public half of a private key. */
export const publicKeyOf = (key: KeyObject): KeyObject =>
  key.type === "public" ? key : createPublicKey(createPrivateKey(key.export({ type: "pkcs8", format: "pem" })));

/** SubjectPublicKeyInfo of a key. */
export const encodePublicKey = (key: KeyObject): Asn1 =>
  decode(publicKeyOf(key).export({ type: "spki", format: "der" }));

/**
 * The signature scheme for a key: the AlgorithmIdentifier for X.509, and the digest for node:crypto (`null` if the
 * scheme determines it).
 * @throws Error for other types of keys
 */
export function signatureScheme(key: KeyObject): { readonly algorithm: Asn1; readonly digest: string | null } {
  switch (key.asymmetricKeyType) {
    case "ec": {
      const large = key.asymmetricKeyDetails?.namedCurve !== "prime256v1";
      return large
        ? { algorithm: sequence(oid("1.2.840.10045.4.3.3")), digest: "sha384" }
        : { algorithm: sequence(oid("1.2.840.10045.4.3.2")), digest: "sha256" };
    }
    case "rsa":
      return { algorithm: sequence(oid("1.2.840.113549.1.1.11"), nullValue()), digest: "sha256" };
    case "ed25519":
      return { algorithm: sequence(oid("1.3.101.112")), digest: null };
    default:
      throw new Error(`cannot sign with a key of type "${key.asymmetricKeyType}": want RSA, ECDSA or Ed25519`);
  }
}

/** Wraps a to-be-signed value into the SEQUENCE {body, algorithm, signature} of certificates and requests, as DER. */
export function signStructure(body: Asn1, key: KeyObject): Buffer {
  const { algorithm, digest } = signatureScheme(key);
  return encode(sequence(body, algorithm, bitString(sign(digest, encode(body), key))));
}
