import { createPublicKey, verify } from "node:crypto";
import { generatePrivateKey, type KeyAlgorithm } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { signToken } from "./sign-token.ts";
import { signingKeyOf } from "./signing-key.ts";

test.each<[KeyAlgorithm, string, string]>([
  ["rsa-2048", "RS256", "sha256"],
  ["ecdsa-p256", "ES256", "sha256"],
  ["ecdsa-p384", "ES384", "sha384"],
])("a token signed with an %s key is %s, and its signature verifies", async (algorithm, alg, digest) => {
  const privateKey = await generatePrivateKey(algorithm);
  const key = signingKeyOf(privateKey, "key");
  const token = await signToken({ sub: "ä" }, key);
  const [header = "", payload = "", signature = ""] = token.split(".");
  const text = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
  expect([text(header), text(payload)]).toEqual([{ alg, kid: key.id }, { sub: "ä" }]);
  const publicKey = { key: createPublicKey(privateKey), dsaEncoding: "ieee-p1363" } as const;
  const signed = Buffer.from(`${header}.${payload}`);
  expect(verify(digest, signed, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
});

test("a key of a kind that signs no tokens is refused by its name", async () => {
  const privateKey = await generatePrivateKey("ed25519");
  expect(() => signingKeyOf(privateKey, '"/sa.key"')).toThrow('"/sa.key": found a key of type "ed25519 "');
});
