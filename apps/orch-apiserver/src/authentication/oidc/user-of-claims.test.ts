import { expect, test } from "vitest";
import { type ClaimSettings, userOfClaims } from "./user-of-claims.ts";

const plain: ClaimSettings = {
  issuer: "https://issuer",
  usernameClaim: "sub",
  usernamePrefix: "",
  groupsClaim: "",
  groupsPrefix: "",
  requiredClaims: {},
};
const email = { usernameClaim: "email" };
const groups = { usernamePrefix: "-", groupsClaim: "groups", groupsPrefix: "g:" };

test.each<readonly [string, object, Partial<ClaimSettings>, object]>([
  ["the issuer is the prefix", { sub: "a" }, {}, { name: "https://issuer#a", groups: [] }],
  ["a prefix", { sub: "a" }, { usernamePrefix: "oidc:" }, { name: "oidc:a" }],
  ["no prefix", { sub: "a" }, { usernamePrefix: "-" }, { name: "a" }],
  ["an address has none", { email: "a@b" }, email, { name: "a@b" }],
  ["an address with a prefix", { email: "a@b" }, { ...email, usernamePrefix: "x-" }, { name: "x-a@b" }],
  ["a verified address", { email: "a@b", email_verified: true }, email, { name: "a@b" }],
  ["an address not verified", { email: "a@b", email_verified: false }, email, { error: /email not verified/ }],
  ["a verification that is text", { email: "a@b", email_verified: "true" }, email, { error: /email not verified/ }],
  ["no name", {}, {}, { error: /parse username claims "sub"/ }],
  ["a name that is no text", { sub: 1 }, {}, { error: /found 1, want a string/ }],
  ["an inherited name", {}, { usernameClaim: "constructor" }, { error: /parse username/ }],
  ["a list of groups", { sub: "a", groups: ["x", "y"] }, groups, { groups: ["g:x", "g:y"] }],
  ["one group", { sub: "a", groups: "x" }, groups, { groups: ["g:x"] }],
  ["no group", { sub: "a" }, groups, { groups: [] }],
  ["groups of another type", { sub: "a", groups: [1] }, groups, { error: /parse groups claim/ }],
  [
    "groups that are elsewhere",
    { sub: "a", _claim_names: { groups: "src" }, _claim_sources: { src: { endpoint: "https://x" } } },
    groups,
    { error: /claim "groups" is distributed/ },
  ],
  ["a required claim", { sub: "a", hd: "x" }, { requiredClaims: { hd: "x" } }, { name: "https://issuer#a" }],
  ["without it", { sub: "a" }, { requiredClaims: { hd: "x" } }, { error: /required claim hd not present/ }],
  ["with another value", { sub: "a", hd: 1 }, { requiredClaims: { hd: "1" } }, { error: /Got = 1, want = "1"/ }],
])("%s", (_, claims, settings, expected) => {
  const found = userOfClaims(claims as Record<string, unknown>, { ...plain, ...settings });
  if ("error" in expected) expect(found).toEqual({ error: expect.stringMatching(expected.error as RegExp) });
  else expect(found).toMatchObject(expected);
});
