import { createCertificateAuthority } from "@orchernetes/tls";
import { beforeAll, expect, test } from "vitest";
import { combineAuthenticationInfo } from "./combine-authentication-info.ts";

const now = Date.now();
const day = 24 * 3600 * 1000;
const pem = { a: "", b: "", c: "", expired: "" };
beforeAll(async () => {
  const authority = async (commonName: string, validityMs = day, at = now) =>
    (await createCertificateAuthority({ commonName, validityMs, now: () => at })).certPem;
  pem.a = await authority("a");
  pem.b = await authority("b");
  pem.c = await authority("c");
  pem.expired = await authority("expired", day, now - 3 * day);
});

type Name = keyof typeof pem;
const ca = (...names: readonly Name[]) => ({ "client-ca-file": names.map((name) => pem[name]).join("") });
const shown = (data: Readonly<Record<string, string>>): string => {
  let text = data["client-ca-file"] ?? "none";
  for (const [name, block] of Object.entries(pem)) text = text.replaceAll(block, name);
  return text;
};

test.each<readonly [string, readonly Name[], readonly Name[], readonly Name[], string]>([
  ["nothing is stored", [], ["a"], [], "a"],
  ["what other servers have stays, first", ["b"], ["a"], [], "ba"],
  ["what is there already is not repeated, in whatever order", ["b", "a"], ["a", "b"], [], "ba"],
  ["a certificate twice is one", ["b", "b"], ["a"], [], "ba"],
  ["what this server published before and has no more goes", ["a", "b"], ["c"], ["a"], "bc"],
  ["after the last one has gone there is no such key", ["a"], [], ["a"], "none"],
  ["certificates that have expired go", ["expired", "b"], ["a"], [], "ba"],
])("certificates: %s", (_, stored, own, before, want) => {
  const combined = combineAuthenticationInfo(ca(...stored), ca(...own), ca(...before), now);
  expect(shown(combined)).toBe(want);
  expect(combineAuthenticationInfo(combined, ca(...own), ca(...own), now)).toEqual(combined);
});

test("two servers with different bundles agree after one write each", () => {
  const first = combineAuthenticationInfo({}, ca("a"), {}, now);
  const both = combineAuthenticationInfo(first, ca("b"), {}, now);
  expect(shown(both)).toBe("ab");
  expect(combineAuthenticationInfo(both, ca("a"), ca("a"), now)).toEqual(both);
  expect(combineAuthenticationInfo(both, ca("b"), ca("b"), now)).toEqual(both);
});

test("text that is no certificate goes, whatever it is", () => {
  const garbage = ["x", `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${pem.b}`, "x".repeat(600_000)];
  expect(garbage.map((text) => shown(combineAuthenticationInfo({ "client-ca-file": text }, ca("a"), {}, now)))).toEqual(
    ["a", "ba", "a"],
  );
});

const names = (value: string) => ({ "requestheader-allowed-names": value });
test.each([
  ["[]", '["a"]', "[]", '["a"]'],
  ['["b"]', '["a"]', "[]", '["b","a"]'],
  ['["a","b"]', '["b","a"]', "[]", '["a","b"]'],
  ['["old","b"]', '["new"]', '["old"]', '["b","new"]'],
  ["{", '["a"]', "[]", '["a"]'],
  ['[1,"b"]', '["a"]', "[]", '["b","a"]'],
  ["[]", "[]", "[]", "[]"],
])("lists: %s with %s after %s: %s", (stored, own, before, want) => {
  expect(combineAuthenticationInfo(names(stored), names(own), names(before), now)).toEqual(names(want));
});

test("other keys stay as they are", () => {
  expect(combineAuthenticationInfo({ other: "{" }, names("[]"), {}, now)).toEqual({ other: "{", ...names("[]") });
});
