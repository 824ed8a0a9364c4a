import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { isSameSecret, tokenDigest } from "./secrets.ts";

test("the digest of a token is its own, together with the audiences, and cannot be computed outside of the process", () => {
  const digests = [
    tokenDigest("a"),
    tokenDigest("ab"),
    tokenDigest("a", ["b"]),
    tokenDigest("a", ["b", "c"]),
    tokenDigest("a", ["bc"]),
    tokenDigest("a1:b"),
    createHash("sha256").update("a").digest("base64"),
  ];
  expect(new Set(digests).size).toBe(digests.length);
  expect(tokenDigest("a", ["b"])).toBe(tokenDigest("a", ["b"]));
});

test.each([
  ["secret", "secret", true],
  ["secret", "secreT", false],
  ["secret", "secret2", false],
  ["", "", true],
])("%j is %j: %s", (known, given, same) => {
  expect(isSameSecret(Buffer.from(known), Buffer.from(given))).toBe(same);
});
