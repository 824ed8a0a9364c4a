import { createHmac } from "node:crypto";
import { systemClock } from "@orchernetes/kernel";
import { type OidcIssuer, poll, startOidcIssuer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type OidcOptions, oidcAuthenticator } from "./oidc-authenticator.ts";

let issuer: OidcIssuer;
let end: AbortController;
let messages: string[];
beforeAll(async () => {
  issuer = await startOidcIssuer();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  issuer.server.behave(issuer.answer);
  end = new AbortController();
  messages = [];
});
afterEach(() => end.abort());

const note = (message: string, fields?: object): void => void messages.push(message + JSON.stringify(fields));
const authenticatorOf = (options: Partial<OidcOptions> = {}) =>
  oidcAuthenticator({
    issuer: issuer.url,
    ca: issuer.server.caPem,
    clientId: "client",
    algorithms: ["ES256"],
    claims: { usernameClaim: "sub", usernamePrefix: "-", groupsClaim: "", groupsPrefix: "", requiredClaims: {} },
    clock: systemClock,
    signal: end.signal,
    logger: { info: note, warn: note },
    ...options,
  });
const said = (text: string) => poll({ what: text, timeoutMs: 10_000 }, () => messages.some((m) => m.includes(text)));
const ready = async () => {
  const authenticator = authenticatorOf();
  await said("are known");
  return authenticator;
};
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = (more: number): number => Math.floor(Date.now() / 1000) + more;
const alice = { sub: "alice", aud: "client" };

test.each<readonly [string, () => string, object]>([
  ["a good token", () => issuer.token(alice), { type: "authenticated", user: { name: "alice" } }],
  ["one of several audiences", () => issuer.token({ ...alice, aud: ["x", "client"] }), { type: "authenticated" }],
  ["no name of the key", () => issuer.token(alice, { kid: undefined }), { type: "authenticated" }],
  ["another audience", () => issuer.token({ ...alice, aud: "other" }), { type: "rejected" }],
  ["expired", () => issuer.token({ ...alice, exp: seconds(-5) }), { reason: expect.stringContaining("expired") }],
  ["no end", () => issuer.token({ ...alice, exp: undefined }), { type: "rejected" }],
  ["not yet, by less than a minute", () => issuer.token({ ...alice, nbf: seconds(30) }), { type: "authenticated" }],
  ["not yet", () => issuer.token({ ...alice, nbf: seconds(120) }), { type: "rejected" }],
  ["another issuer", () => issuer.token({ ...alice, iss: "https://other" }), { type: "noOpinion" }],
  ["no token", () => "abc", { type: "noOpinion" }],
  ["too long", () => issuer.token({ ...alice, more: "x".repeat(70_000) }), { type: "noOpinion" }],
  [
    "no algorithm",
    () => `${encoded({ alg: "none" })}.${encoded({ ...alice, iss: issuer.url, exp: seconds(60) })}.`,
    { type: "rejected" },
  ],
  [
    "the public key as a secret",
    () => {
      const text = `${encoded({ alg: "HS256" })}.${encoded({ ...alice, iss: issuer.url, exp: seconds(60) })}`;
      return `${text}.${createHmac("sha256", issuer.publicKeyPem).update(text).digest("base64url")}`;
    },
    { type: "rejected" },
  ],
  [
    "claims changed after signing",
    () =>
      issuer
        .token(alice)
        .replace(/\.[^.]*\./, `.${encoded({ ...alice, sub: "root", iss: issuer.url, exp: seconds(60) })}.`),
    { type: "rejected" },
  ],
])("%s", async (_, token, expected) => {
  const authenticator = await ready();
  expect(await authenticator.authenticateToken(token(), [])).toMatchObject(expected);
});

test("keys are rotated under load: no good token is refused, and the issuer is asked once", async () => {
  const authenticator = await ready();
  issuer.rotate();
  const before = issuer.keyFetches;
  const tokens = Array.from({ length: 50 }, (_, i) => issuer.token({ ...alice, sub: `user-${i}` }));
  const results = await Promise.all(tokens.map((token) => authenticator.authenticateToken(token, [])));
  expect(results.map(({ type }) => type)).toEqual(tokens.map(() => "authenticated"));
  expect(issuer.keyFetches - before).toBe(1);
});

test("an issuer that is not there leaves its tokens rejected, and the last keys in force", async () => {
  issuer.server.behave({ type: "answer", status: 503, body: () => "" });
  const waiting = authenticatorOf();
  const reason = expect.stringContaining("not initialized");
  expect(await waiting.authenticateToken(issuer.token(alice), [])).toMatchObject({ type: "rejected", reason });
  await said("found status 503");
  issuer.server.behave(issuer.answer);
  messages = [];
  const authenticator = await ready();
  issuer.server.behave({ type: "hangUp" });
  expect(await authenticator.authenticateToken(issuer.token(alice), [])).toMatchObject({ type: "authenticated" });
});

test.each([
  ["an enormous key set", { type: "enormous", bytes: 20_000_000 }, "longer than"],
  ["no JSON", { type: "answer", body: () => "<html>" }, "not JSON"],
] as const)("%s is reported", async (_, behaviour, text) => {
  issuer.server.behave(behaviour);
  authenticatorOf();
  await said(text);
});

test("a discovery document of another issuer, and a certificate of another authority, are reported", async () => {
  authenticatorOf({ ca: undefined });
  await said("certificate");
  const other = await startOidcIssuer();
  other.pretend(issuer.url);
  authenticatorOf({ issuer: other.url, ca: other.server.caPem });
  await said(`is of issuer`);
  await other.stop();
});
