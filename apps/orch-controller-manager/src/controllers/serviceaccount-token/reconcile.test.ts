import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { filled, reconcile, type TokenState } from "./reconcile.ts";
import {
  decodeKey,
  encodeKey,
  isOf,
  NAME_ANNOTATION,
  secretKeyOf,
  type TokenSecret,
  UID_ANNOTATION,
} from "./token-secret.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const account = (secrets: readonly string[] = []): Stored<core.ServiceAccount> => ({
  metadata: meta("sa"),
  secrets: secrets.map((name) => ({ name })),
});
const secret = (data: Readonly<Record<string, string>> = {}): TokenSecret => ({
  metadata: { ...meta("s"), annotations: { [NAME_ANNOTATION]: "sa" } },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
});
const state = (changes: Partial<TokenState>): TokenState => ({
  secret: secret(),
  account: account(),
  name: "s",
  rootCa: "CA",
  ...changes,
});
const whole = { token: "t", namespace: "ns", "ca.crt": "CA" };

test.each<[string, Partial<TokenState>, object | undefined]>([
  ["is empty", {}, { needsToken: true, data: { "ca.crt": base64("CA"), namespace: base64("ns") } }],
  ["is whole", { secret: secret(whole) }, undefined],
  ["has no token", { secret: secret({ ...whole, token: "" }) }, { needsToken: true, data: {} }],
  ["has other authorities", { secret: secret({ ...whole, "ca.crt": "old" }) }, { data: { "ca.crt": base64("CA") } }],
  ["has no namespace", { secret: secret({ token: "t", "ca.crt": "CA" }) }, { data: { namespace: base64("ns") } }],
  ["has authorities nobody knows", { secret: secret(whole), rootCa: undefined }, undefined],
  ["lost its account", { secret: secret(whole), account: undefined }, { type: "Delete" }],
  ["is gone", { secret: undefined }, undefined],
  ["is gone and listed", { secret: undefined, account: account(["s"]) }, { type: "Unlist" }],
  ["is gone with its account", { secret: undefined, account: undefined }, undefined],
])("a secret that %s", (_, changes, want) => {
  const { actions } = reconcile(state(changes));
  if (want === undefined) expect(actions).toEqual([]);
  else expect(actions).toMatchObject([want]);
});

test("what is filled in leaves other data and annotations alone, and names the account by its uid", () => {
  const old = { ...secret({ own: "x" }), metadata: { ...secret().metadata, annotations: { a: "b" } } };
  const { metadata, data } = filled(old, account(), { token: "dA==" });
  expect(data).toEqual({ own: base64("x"), token: "dA==" });
  expect(metadata.annotations).toEqual({ a: "b", [NAME_ANNOTATION]: "sa", [UID_ANNOTATION]: "uid-sa" });
});

test("keys hold any annotation, and secrets without an account have none", () => {
  const odd = { ...secret(), metadata: { ...secret().metadata, annotations: { [NAME_ANNOTATION]: 'a/"b' } } };
  const key = secretKeyOf(odd);
  expect(key && decodeKey(encodeKey(key))).toEqual(key);
  expect(secretKeyOf({ ...secret(), metadata: meta("s") })).toBeUndefined();
});

test.each<[string, string, boolean]>([
  ["sa", "", true],
  ["sa", "uid", true],
  ["sa", "other", false],
  ["sb", "uid", false],
])("a secret of account %s with uid %j", (accountName, accountUid, want) => {
  expect(isOf({ namespace: "ns", name: "s", uid: "u", accountName, accountUid }, "sa", "uid")).toBe(want);
});
