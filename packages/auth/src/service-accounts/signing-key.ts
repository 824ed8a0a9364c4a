import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { parsePublicKeys, TlsMaterialError } from "@orchernetes/tls";

/** A key that verifies tokens, with the id that their headers carry. */
export interface VerifyingKey {
  readonly id: string;
  readonly key: KeyObject;
  readonly algorithm: "RS256" | "ES256" | "ES384" | "ES512";
}

/** A private key that signs tokens. */
export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

const EC_ALGORITHMS = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" } as const;

function algorithmOf(key: KeyObject, origin: string): VerifyingKey["algorithm"] {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType === "ec" && curve !== undefined && curve in EC_ALGORITHMS)
    return EC_ALGORITHMS[curve as keyof typeof EC_ALGORITHMS];
  throw new TlsMaterialError(
    `${origin}: found a key of type "${key.asymmetricKeyType} ${curve ?? ""}"; service account keys are RSA, or ECDSA on P-256, P-384 or P-521`,
  );
}

/**
 * Returns a public key with its id, which is the base64url of the SHA-256 of its DER form (SubjectPublicKeyInfo), as in Kubernetes.
 *
 * @param origin where the key is from, for errors
 * @throws TlsMaterialError for a key that cannot verify tokens
 */
export function verifyingKey(key: KeyObject, origin: string): VerifyingKey {
  const der = key.export({ type: "spki", format: "der" });
  return { id: createHash("sha256").update(der).digest("base64url"), key, algorithm: algorithmOf(key, origin) };
}

/**
 * Returns a private key as a key that signs tokens.
 *
 * @param origin where the key is from, for errors
 * @throws TlsMaterialError for a key that cannot sign tokens
 */
export function signingKeyOf(privateKey: KeyObject, origin: string): SigningKey {
  return { ...verifyingKey(createPublicKey(privateKey), origin), privateKey };
}

/** Every public (or private) key of a file of `--service-account-key-file`. @throws TlsMaterialError naming the origin */
export function parseVerifyingKeys(pem: string, origin: string): readonly VerifyingKey[] {
  return parsePublicKeys(pem, origin).map((key) => verifyingKey(key, origin));
}
