import { createHmac } from "node:crypto";
import { encodePart } from "@orchernetes/auth";
import type { SigningToken } from "./token-secret.ts";

/**
 * The detached JSON Web Signature of a text by a bootstrap token (RFC 7515, appendix F): `HEADER..SIGNATURE`, with HS256 and the id
 * of the token as the id of the key. Whoever knows the token can tell that the text is from somebody who knows it, too.
 */
export function detachedSignature(content: string, { id, secret }: SigningToken): string {
  const header = encodePart({ alg: "HS256", kid: id });
  const payload = Buffer.from(content).toString("base64url");
  return `${header}..${createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url")}`;
}
