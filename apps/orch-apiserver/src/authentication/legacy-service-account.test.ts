import { generateKeyPairSync } from "node:crypto";
import type { core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { legacyClaimsFor, verifyingKey } from "@orchernetes/auth";
import { beforeEach, describe, expect, test } from "vitest";
import { joseLibrary } from "../service-accounts/jose-library.ts";
import { createSignatureVerifier } from "../service-accounts/verify-signature.ts";
import { LAST_USED_LABEL, legacyServiceAccountAuthenticator } from "./legacy-service-account.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = verifyingKey(publicKey, "a test");
const now = new Date("2023-06-01T12:00:00Z");
const claims = legacyClaimsFor({
  namespace: "ns",
  secretName: "sa-token",
  serviceAccountName: "sa",
  serviceAccountUid: "uid-1",
});
const sign = (payload: Record<string, unknown>, by = privateKey): Promise<string> => {
  const { SignJWT } = joseLibrary();
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256" }).sign(by);
};
const token = await sign(claims);

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface World {
  secret: (Mutable<core.Secret> & { metadata: Mutable<core.Secret["metadata"]> }) | undefined;
  account: Mutable<core.ServiceAccount> | undefined;
  updates: number;
  failing: boolean;
  legacy: number;
  errors: string[];
}
let world: World;
beforeEach(() => {
  world = {
    secret: {
      metadata: { namespace: "ns", name: "sa-token", uid: "secret-uid", labels: { own: "label" } },
      type: "orchernetes.io/service-account-token",
      data: { token: Buffer.from(token).toString("base64") },
    },
    account: { metadata: { namespace: "ns", name: "sa", uid: "uid-1" } },
    updates: 0,
    failing: false,
    legacy: 0,
    errors: [],
  };
});

const present = async <T extends ApiObject>(object: T | undefined): Promise<Stored<T>> => {
  if (object === undefined) throw new Error("not found");
  return object as Stored<T>;
};

function authenticator(options: { readonly tracking?: boolean; readonly lookup?: boolean } = {}) {
  const lookups = {
    serviceAccounts: { get: () => present<core.ServiceAccount>(world.account) },
    secrets: {
      get: () => present<core.Secret>(world.secret),
      update: async (_ref: object, change: (draft: never, current: never) => unknown) => {
        world.updates++;
        if (world.failing) throw new Error("the store is gone");
        change(world.secret as never, world.secret as never);
        return present<core.Secret>(world.secret);
      },
    },
  };
  return legacyServiceAccountAuthenticator({
    verify: createSignatureVerifier({
      keys: [key],
      issuers: ["orchernetes/serviceaccount"],
      clock: { now: () => now },
    }),
    apiAudiences: ["api"],
    lookups: options.lookup === false ? undefined : lookups,
    tracking: options.tracking ?? true,
    counts: { legacy: () => world.legacy++ },
    now: () => now,
    logger: { error: (_error, message) => world.errors.push(message) },
  });
}

test("a token that its secret holds is its account", async () => {
  expect(await authenticator().authenticateToken(token, ["api"])).toEqual({
    type: "authenticated",
    user: {
      name: "system:serviceaccount:ns:sa",
      uid: "uid-1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:ns"],
      extra: {},
    },
    audiences: ["api"],
    annotations: { "authentication.o8s.io/legacy-token": "system:serviceaccount:ns:sa" },
  });
  expect(world.legacy).toBe(1);
});

const secretWith = (metadata: object, data?: Record<string, string>): Partial<World> => ({
  secret: {
    metadata: { namespace: "ns", name: "sa-token", uid: "secret-uid", ...metadata },
    data: data ?? { token: Buffer.from(token).toString("base64") },
  },
});
const leaving = { deletionTimestamp: now.toISOString() };
const rows: readonly (readonly [string, Partial<World>, string])[] = [
  ["gone", { secret: undefined }, "Token has been invalidated"],
  ["on its way out", secretWith(leaving), "Token has been invalidated"],
  ["without a token", secretWith({}, {}), "Token does not match server's copy"],
  [
    "with another token",
    secretWith({}, { token: Buffer.from(`${token}x`).toString("base64") }),
    "Token does not match server's copy",
  ],
  ["of an account that is gone", { account: undefined }, "ServiceAccount ns/sa is gone"],
  [
    "of an account on its way out",
    { account: { metadata: { uid: "uid-1", ...leaving } } },
    "ServiceAccount ns/sa has been deleted",
  ],
  [
    "of an earlier account of that name",
    { account: { metadata: { uid: "uid-2" } } },
    "ServiceAccount UID (uid-2) does not match claim (uid-1)",
  ],
];
test.each(rows)("a secret %s refuses its token", async (_, spoilt, reason) => {
  Object.assign(world, spoilt);
  expect(await authenticator().authenticateToken(token, ["api"])).toEqual({ type: "rejected", reason });
  expect(world.updates).toBe(0);
  // Nobody looks when told not to.
  expect(await authenticator({ lookup: false }).authenticateToken(token, ["api"])).toMatchObject({
    type: "authenticated",
  });
});

test.each([
  ["no token at all", async () => "abc", { type: "noOpinion" }],
  ["another issuer", () => sign({ ...claims, iss: "https://issuer" }), { type: "noOpinion" }],
  ["another key", () => sign(claims, other.privateKey), { type: "rejected", reason: "invalid signature" }],
  [
    "no secret",
    () => sign({ ...claims, "orchernetes.io/serviceaccount/secret.name": "" }),
    { reason: "secretName claim is missing" },
  ],
  ["no subject", () => sign({ ...claims, sub: undefined }), { reason: "sub claim is missing" }],
  [
    "another subject",
    () => sign({ ...claims, sub: "system:serviceaccount:orch-system:sa" }),
    { reason: "sub claim is invalid" },
  ],
  ["audiences of others", () => sign({ ...claims, aud: ["vault"] }), { type: "rejected" }],
])("%s is not accepted", async (_, make, result) => {
  expect(await authenticator().authenticateToken(await make(), ["api"])).toMatchObject(result);
});

test("a token without audiences is for the server alone", async () => {
  expect(await authenticator().authenticateToken(token, ["vault"])).toEqual({
    type: "rejected",
    reason: 'token audiences ["api"] is invalid for the target audiences ["vault"]',
  });
});

describe("tracking", () => {
  test.each([
    ["never", undefined, "2023-06-01", 1],
    ["yesterday", "2023-05-31", "2023-06-01", 1],
    ["today", "2023-06-01", "2023-06-01", 0],
    ["tomorrow, by the clock of another server", "2023-06-02", "2023-06-02", 0],
  ])("a secret whose token was used %s", async (_, before, after, updates) => {
    if (world.secret && before) world.secret.metadata.labels = { own: "label", [LAST_USED_LABEL]: before };
    await authenticator().authenticateToken(token, ["api"]);
    expect(world.secret?.metadata.labels).toEqual({ own: "label", [LAST_USED_LABEL]: after });
    expect(world.updates).toBe(updates);
  });

  test("is no condition: a failure is logged", async () => {
    world.failing = true;
    expect(await authenticator().authenticateToken(token, ["api"])).toMatchObject({ type: "authenticated" });
    expect(world.errors).toHaveLength(1);
  });

  test.each([
    [true, [{ name: "other" }, { name: "sa-token" }], true],
    [true, [{ name: "other" }], false],
    [false, [{ name: "sa-token" }], false],
  ])("%s: an account that names %j warns: %s", async (tracking, secrets, warns) => {
    world.account = { metadata: { uid: "uid-1" }, secrets };
    const result = await authenticator({ tracking }).authenticateToken(token, ["api"]);
    expect("warnings" in result).toBe(warns);
    expect(world.updates).toBe(tracking ? 1 : 0);
  });
});
