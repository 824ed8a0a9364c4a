import { createHmac } from "node:crypto";
import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { reconcile as sign } from "./bootstrap-signer.ts";
import { detachedSignature } from "./detached-signature.ts";
import { reconcile as clean } from "./token-cleaner.ts";
import { expirationMs, signingToken, type TokenSecret } from "./token-secret.ts";

const now = new Date("2026-01-01T00:00:00Z");
const DAY_MS = 24 * 3_600_000;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function token(id: string, data: Readonly<Record<string, string>> = {}): TokenSecret {
  const all = { "token-id": id, "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true", ...data };
  return {
    metadata: meta(`bootstrap-token-${id}`, "orch-system"),
    type: "bootstrap.orchernetes.io/token",
    data: Object.fromEntries(Object.entries(all).map(([key, value]) => [key, base64(value)])),
  };
}

const info = (data: Readonly<Record<string, string>> = { orchconfig: "config" }): Stored<core.ConfigMap> => ({
  metadata: meta("cluster-info", "orch-public"),
  data,
});

test("a signature is a detached one with HS256, as clients that join verify it", () => {
  const signature = detachedSignature("config", { id: "abcdef", secret: "0123456789abcdef" });
  const [header = "", payload, mac] = signature.split(".");
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "HS256", kid: "abcdef" });
  expect(payload).toBe("");
  const signed = `${header}.${Buffer.from("config").toString("base64url")}`;
  expect(mac).toBe(createHmac("sha256", "0123456789abcdef").update(signed).digest("base64url"));
});

test("each token that signs has a signature, all others are removed, and other data stays", () => {
  const secrets = [
    token("aaaaaa"),
    token("bbbbbb", { expiration: "2026-01-01T01:00:00Z" }),
    token("cccccc", { "usage-bootstrap-signing": "false" }),
    token("dddddd", { expiration: "2025-12-31T23:59:59Z" }),
  ];
  const old = { orchconfig: "config", other: "x", "jws-orchconfig-dddddd": "y", "jws-orchconfig-aaaaaa": "z" };
  const { actions, requeueAfterMs } = sign({ clusterInfo: info(old), secrets }, now);
  const { data = {} } = actions[0]?.clusterInfo ?? {};
  expect(Object.keys(data).sort()).toEqual(["jws-orchconfig-aaaaaa", "jws-orchconfig-bbbbbb", "orchconfig", "other"]);
  expect(requeueAfterMs).toBe(3_600_000);
  expect(sign({ clusterInfo: info(data), secrets }, now).actions).toEqual([]);
  expect(sign({ clusterInfo: info({ ...data, orchconfig: "another" }), secrets }, now).actions).toHaveLength(1);
});

test("without tokens or without a client configuration nothing is written", () => {
  expect(sign({ clusterInfo: info(), secrets: [] }, now)).toEqual({ actions: [] });
  expect(sign({ clusterInfo: info({ other: "x" }), secrets: [token("aaaaaa")] }, now)).toEqual({ actions: [] });
});

test.each<[string, TokenSecret]>([
  ["is named after another token", { ...token("aaaaaa"), metadata: meta("bootstrap-token-bbbbbb") }],
  ["has another name", { ...token("aaaaaa"), metadata: meta("aaaaaa") }],
  ["has no token id", token("aaaaaa", { "token-id": "" })],
  ["has no secret", token("aaaaaa", { "token-secret": "" })],
  ["is not for signing", token("aaaaaa", { "usage-bootstrap-signing": "True" })],
])("a secret that %s does not sign", (_, secret) => {
  expect(signingToken(secret)).toBeUndefined();
});

test.each<[string, number | undefined]>([
  ["", undefined],
  ["2026-01-01T00:00:00Z", now.getTime()],
  ["2026-01-01T01:00:00+01:00", now.getTime()],
  ["tomorrow", Number.NEGATIVE_INFINITY],
  ["2026-13-01T00:00:00Z", Number.NEGATIVE_INFINITY],
  ["2026-01-01", Number.NEGATIVE_INFINITY],
])("expiration %j", (expiration, want) => {
  expect(expirationMs(token("aaaaaa", { expiration }))).toBe(want);
});

test.each<[string, object]>([
  ["", { actions: [] }],
  ["2026-01-01T00:00:00Z", { actions: [{ type: "Delete" }] }],
  ["tomorrow", { actions: [{ type: "Delete" }] }],
  ["2026-01-01T00:00:30Z", { actions: [], requeueAfterMs: 30_000 }],
  ["2099-01-01T00:00:00Z", { actions: [], requeueAfterMs: DAY_MS }],
])("a token that expires at %j is deleted at its time", (expiration, want) => {
  expect(clean(token("aaaaaa", { expiration }), now)).toEqual(want);
});
