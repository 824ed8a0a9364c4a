import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { systemClock } from "@orchernetes/kernel";
import { poll, startWebhookServer, type WebhookBehaviour, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { oidcAuthenticator } from "./oidc-authenticator.ts";

interface PublishedKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** What the issuer publishes now. */
let published: readonly PublishedKey[] = [];
let slowMs = 0;
let hook: WebhookServer;
let end: AbortController;
let messages: string[];

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
const pairOf = (algorithm: string): Pick<PublishedKey, "privateKey" | "publicKey"> =>
  curves[algorithm] === undefined ? rsa : generateKeyPairSync("ec", { namedCurve: curves[algorithm] });
let serial = 0;
const newKey = (algorithm: string): PublishedKey => ({ id: `key-${++serial}`, algorithm, ...pairOf(algorithm) });

const right: WebhookBehaviour = {
  type: "answer",
  async body({ path }) {
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    if (path.startsWith("/.well-known")) return { issuer: hook.url, jwks_uri: `${hook.url}/keys` };
    const use = "sig";
    return {
      keys: published.map(({ id: kid, algorithm: alg, publicKey }) => ({
        ...publicKey.export({ format: "jwk" }),
        kid,
        alg,
        use,
      })),
    };
  },
};
beforeAll(async () => {
  hook = await startWebhookServer({ behaviour: right });
});
afterAll(() => hook.stop());
beforeEach(() => {
  hook.behave(right);
  end = new AbortController();
  messages = [];
  slowMs = 0;
});
afterEach(() => end.abort());

const note = (message: string, fields?: object): void => void messages.push(message + JSON.stringify(fields));
const said = (text: string) => poll({ what: text, timeoutMs: 10_000 }, () => messages.some((m) => m.includes(text)));

const authenticatorOf = (algorithms: readonly string[], groupsClaim = "") =>
  oidcAuthenticator({
    issuer: hook.url,
    ca: hook.caPem,
    clientId: "client",
    algorithms,
    claims: { usernameClaim: "sub", usernamePrefix: "-", groupsClaim, groupsPrefix: "", requiredClaims: {} },
    clock: systemClock,
    signal: end.signal,
    logger: { info: note, warn: note },
  });

const now = (): number => Math.floor(Date.now() / 1000);

function tokenOf({ id, algorithm, privateKey }: PublishedKey, claims: object = {}): string {
  const parts = [
    { alg: algorithm, kid: id },
    { iss: hook.url, aud: "client", sub: "alice", exp: now() + 600, ...claims },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const how = algorithm.startsWith("PS")
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : algorithm.startsWith("ES")
      ? { dsaEncoding: "ieee-p1363" as const }
      : {};
  const signature = sign(`sha${algorithm.slice(2)}`, Buffer.from(text), { key: privateKey, ...how });
  return `${text}.${signature.toString("base64url")}`;
}

const algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"];

test("each algorithm is accepted where it is listed, and rejected where it is not", async () => {
  const keys = algorithms.map(newKey);
  published = keys;
  const listed = authenticatorOf(algorithms);
  const withoutOne = keys.map(({ algorithm }) => authenticatorOf(algorithms.filter((other) => other !== algorithm)));
  const count = keys.length + 1;
  await poll(
    { what: "keys", timeoutMs: 20_000 },
    () => messages.filter((m) => m.includes("are known")).length === count,
  );
  const found = await Promise.all(
    keys.map(async (key, i) => {
      const token = tokenOf(key);
      const [head, , signature] = token.split(".");
      const [, changed] = tokenOf(key, { sub: "root" }).split(".");
      const results = await Promise.all([
        listed.authenticateToken(token, []),
        withoutOne[i]?.authenticateToken(token, []),
        listed.authenticateToken(`${head}.${changed}.${signature}`, []),
      ]);
      return results.map((result) => result?.type);
    }),
  );
  expect(found).toEqual(keys.map(() => ["authenticated", "rejected", "rejected"]));
});

test("an issuer that publishes a key before it signs with it has no token rejected, however often it does", async () => {
  let current = newKey("ES256");
  published = [current];
  const authenticator = authenticatorOf(["ES256"]);
  await said("are known");
  const rejected: object[] = [];
  let accepted = 0;
  let done = false;
  const worker = async (id: number): Promise<void> => {
    for (let i = 0; !done; i++) {
      const result = await authenticator.authenticateToken(tokenOf(current, { sub: `user-${id}-${i}` }), []);
      if (result.type === "authenticated") accepted++;
      else rejected.push(result);
      await new Promise(setImmediate);
    }
  };
  const workers = [1, 2, 3, 4].map(worker);
  for (let rotation = 0; rotation < 3; rotation++) {
    const next = newKey("ES256");
    published = [next, current];
    current = next;
    const before = accepted;
    await poll({ what: "tokens of the new key", timeoutMs: 10_000 }, () => accepted > before + 50);
  }
  done = true;
  await Promise.all(workers);
  expect(rejected).toEqual([]);
});

test.each<readonly [string, object, string]>([
  ["issued in the future", { iat: now() + 3600 }, "authenticated"],
  ["without a time of issue", { iat: undefined }, "authenticated"],
  ["valid from half a minute from now on", { nbf: now() + 30 }, "authenticated"],
  ["valid from two minutes from now on", { nbf: now() + 120 }, "rejected"],
  ["over by a second", { exp: now() - 1 }, "rejected"],
  ["with times that are no numbers", { exp: "tomorrow" }, "rejected"],
])("a token %s is %s", async (_, claims, want) => {
  const key = newKey("ES256");
  published = [key];
  const authenticator = authenticatorOf(["ES256"]);
  await said("are known");
  expect((await authenticator.authenticateToken(tokenOf(key, claims), [])).type).toBe(want);
});

test("groups that stand elsewhere are refused with a message that says what to do", async () => {
  const key = newKey("ES256");
  published = [key];
  const authenticator = authenticatorOf(["ES256"], "groups");
  await said("are known");
  const claims = { _claim_names: { groups: "src" }, _claim_sources: { src: { endpoint: `${hook.url}/groups` } } };
  const before = hook.requests.length;
  expect(await authenticator.authenticateToken(tokenOf(key, claims), [])).toEqual({
    type: "rejected",
    reason: expect.stringContaining('claim "groups" is distributed'),
  });
  expect(hook.requests.length).toBe(before);
});

test("a slow issuer delays nobody: its tokens are rejected until it has answered", async () => {
  slowMs = 300;
  const key = newKey("ES256");
  published = [key];
  const authenticator = authenticatorOf(["ES256"]);
  const started = performance.now();
  expect(await authenticator.authenticateToken(tokenOf(key), [])).toMatchObject({ type: "rejected" });
  expect(performance.now() - started).toBeLessThan(250);
  await said("are known");
  expect(await authenticator.authenticateToken(tokenOf(key), [])).toMatchObject({ type: "authenticated" });
});

test("keys that cannot be used harm no others", async () => {
  const key = newKey("ES256");
  published = [key];
  const broken = { kty: "RSA", kid: key.id, n: "AQAB", e: "AQAB" };
  const { publicKey } = key;
  hook.behave({
    type: "answer",
    body: ({ path }) =>
      path.startsWith("/.well-known")
        ? { issuer: hook.url, jwks_uri: `${hook.url}/keys` }
        : {
            keys: [
              broken,
              { kty: "new", kid: "x" },
              { ...publicKey.export({ format: "jwk" }), kid: key.id, use: "sig" },
            ],
          },
  });
  const authenticator = authenticatorOf(["ES256", "RS256"]);
  await said("are known");
  expect(await authenticator.authenticateToken(tokenOf(key), [])).toMatchObject({ type: "authenticated" });
});
