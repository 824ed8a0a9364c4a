import { type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import type { SigningKey } from "./signing-key.ts";

const signAsync = promisify<string, Buffer, { key: KeyObject; dsaEncoding: "ieee-p1363" }, Buffer>(sign);

const DIGESTS: Readonly<Record<SigningKey["algorithm"], string>> = {
  RS256: "sha256",
  ES256: "sha256",
  ES384: "sha384",
  ES512: "sha512",
};

/** Part of a JSON Web Signature: JSON, base64url. */
export const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON Web Token with these claims, in the compact form (RFC 7519); its header names the key by its id. */
export async function signToken(claims: object, key: SigningKey): Promise<string> {
  const signed = `${encodePart({ alg: key.algorithm, kid: key.id })}.${encodePart(claims)}`;
  // JSON Web Signatures of elliptic curves are the two numbers one after the other (RFC 7518, 3.4), not DER.
  const signature = await signAsync(DIGESTS[key.algorithm], Buffer.from(signed), {
    key: key.privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${signed}.${signature.toString("base64url")}`;
}
