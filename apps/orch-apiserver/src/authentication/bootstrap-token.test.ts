import type { core } from "@orchernetes/api";
import { notFound, type Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { bootstrapTokenAuthenticator, groupsOf } from "./bootstrap-token.ts";

const now = new Date("2023-06-01T12:00:00Z");
const id = "abcdef";
const code = "0123456789abcdef";
const good = { "token-id": id, "token-secret": code, "usage-bootstrap-authentication": "true" };
const secretOf = (data: Readonly<Record<string, string>>, more: Partial<core.Secret> = {}): Stored<core.Secret> =>
  ({
    metadata: { namespace: "orch-system", name: `bootstrap-token-${id}` },
    type: "bootstrap.orchernetes.io/token",
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")])),
    ...more,
  }) as Stored<core.Secret>;

test.each<readonly [string, Stored<core.Secret>, readonly string[] | string]>([
  ["a token without end", secretOf(good), ["system:bootstrappers"]],
  ["one that ends later", secretOf({ ...good, expiration: "2023-06-01T14:00:01+02:00" }), ["system:bootstrappers"]],
  [
    "extra groups",
    secretOf({ ...good, "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a" }),
    ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b"],
  ],
  ["an extra group of another kind", secretOf({ ...good, "auth-extra-groups": "system:masters" }), "system:masters"],
  ["one that ends now", secretOf({ ...good, expiration: "2023-06-01T12:00:00Z" }), "expiration"],
  ["an end that is no time", secretOf({ ...good, expiration: "tomorrow" }), "expiration"],
  ["an end that is not RFC 3339", secretOf({ ...good, expiration: "2024" }), "expiration"],
  ["another secret", secretOf({ ...good, "token-secret": "0123456789abcdee" }), "token-secret"],
  ["no secret", secretOf({ ...good, "token-secret": "" }), "token-secret"],
  ["another id", secretOf({ ...good, "token-id": "abcdeg" }), "token-id"],
  ["another use", secretOf({ ...good, "usage-bootstrap-authentication": "false" }), "usage-bootstrap-authentication"],
  ["another type", secretOf(good, { type: "Opaque" }), "Opaque"],
  ["no data", secretOf({}), "token-secret"],
  ["deletion", secretOf(good, { metadata: { deletionTimestamp: "2023-06-01T11:00:00Z" } as never }), "being deleted"],
])("%s", (_, secret, expected) => {
  const found = groupsOf(secret, { id, code, now });
  if (typeof expected === "string") expect(found).toContain(expected);
  else expect(found).toEqual(expected);
});

test("only tokens of the right form are looked up, from the cache first", async () => {
  const asked: string[] = [];
  let cached: Stored<core.Secret> | undefined = secretOf(good);
  const authenticator = bootstrapTokenAuthenticator({
    secrets: {
      cached: () => cached,
      async get({ name }) {
        asked.push(name);
        throw notFound({ group: "", resource: "secrets" } as never, name);
      },
    },
    now: () => now,
    logger: { info: () => undefined },
  });
  const user = { name: "system:bootstrap:abcdef", groups: ["system:bootstrappers"], extra: {} };
  expect(await authenticator.authenticateToken(`${id}.${code}`, [])).toEqual({ type: "authenticated", user });
  expect(asked).toEqual([]);
  cached = undefined;
  for (const token of ["", "abcdef", `${id}.${code}\n`, `${id}.${code}0`, `ABCDEF.${code}`, "../../x.0123456789abcdef"])
    expect(await authenticator.authenticateToken(token, [])).toEqual({ type: "noOpinion" });
  expect(asked).toEqual([]);
  expect(await authenticator.authenticateToken(`${id}.${code}`, [])).toEqual({ type: "noOpinion" });
  expect(asked).toEqual(["bootstrap-token-abcdef"]);
});
