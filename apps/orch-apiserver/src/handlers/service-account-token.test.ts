import { core } from "@orchernetes/api";
import type { RequestContext } from "@orchernetes/apiserver";
import { describe, expect, test } from "vitest";
import { serviceAccountTokenHandler, type TokenRequestOptions } from "./service-account-token.ts";

const YEAR = 365 * 24 * 3600;
const bound = { kind: "Pod", apiVersion: "v1", name: "p" };
const stored = new Map<unknown, object>([
  [core.serviceAccounts, { metadata: { name: "a", namespace: "ns", uid: "1" } }],
  [core.pods, { metadata: { name: "p", namespace: "ns", uid: "2" }, spec: { serviceAccountName: "a" } }],
]);

/** Lifetime of the token that is issued, when its holder shall renew it, both in seconds, and the warnings. */
async function issued(spec: object, more: Partial<TokenRequestOptions> = {}) {
  const found = { lifetimeSeconds: 0, warnAfterSeconds: undefined as number | undefined, warnings: [] as string[] };
  const handler = serviceAccountTokenHandler({
    issuer: {
      issue: async ({ lifetimeSeconds, warnAfterSeconds }) => {
        Object.assign(found, { lifetimeSeconds, warnAfterSeconds });
        return { token: "t", expiresAt: new Date(lifetimeSeconds * 1000) };
      },
    },
    apiAudiences: ["api", "https://api"],
    maxExpirationSeconds: 0,
    extendExpiration: true,
    ...more,
  });
  await handler.handle({
    requestInfo: { namespace: "ns", name: "a" },
    body: { metadata: {}, spec },
    registry: { forDefinition: (definition: object) => ({ get: async () => stored.get(definition) }) },
    admit: async () => undefined,
    warn: (message: string) => void found.warnings.push(message),
    now: new Date(0),
    signal: new AbortController().signal,
  } as unknown as RequestContext);
  return found;
}

describe("the lifetime of a token", () => {
  const rows: readonly (readonly [string, object, number])[] = [
    ["of a pod, as it is injected", { boundObjectRef: bound }, YEAR],
    ["of a pod for audiences of the API server", { boundObjectRef: bound, audiences: ["api", "https://api"] }, YEAR],
    // Whoever is meant besides would accept the token for a year, too.
    ["of a pod for others, too", { boundObjectRef: bound, audiences: ["api", "vault"] }, 3607],
    ["of a pod for others", { boundObjectRef: bound, audiences: ["vault"] }, 3607],
    ["of no pod", {}, 3607],
  ];
  test.each(rows)("%s", async (_, spec, lifetimeSeconds) => {
    const { warnAfterSeconds, ...found } = await issued({ expirationSeconds: 3607, ...spec });
    expect(found).toEqual({ lifetimeSeconds, warnings: [] });
    expect(warnAfterSeconds).toBe(lifetimeSeconds === YEAR ? 3607 : undefined);
  });

  test("is what the server allows, also for an injected one, and the client is told", async () => {
    const spec = { expirationSeconds: 3607, boundObjectRef: bound };
    expect(await issued(spec, { maxExpirationSeconds: 3600 })).toEqual({
      lifetimeSeconds: 3600,
      warnAfterSeconds: undefined,
      warnings: ["requested expiration of 3607 seconds shortened to 3600 seconds"],
    });
  });
});
