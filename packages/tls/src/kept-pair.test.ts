import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CertificateAuthority, createCertificateAuthority, type IssueOptions } from "./certificate-authority.ts";
import { keepAuthority, keepPair } from "./kept-pair.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-kept-"));
afterAll(() => rmSync(dir, { recursive: true }));
const paths = (name: string) => ({ certFile: join(dir, `${name}.crt`), keyFile: join(dir, `${name}.key`) });

const day = 24 * 3600 * 1000;
const wanted: IssueOptions = {
  commonName: "server",
  organizations: ["a", "b"],
  hosts: ["localhost", "127.0.0.1", "::1"],
  usages: ["digital signature", "server auth"],
};
let ca: CertificateAuthority;
let other: CertificateAuthority;
beforeAll(async () => {
  ca = await keepAuthority(paths("ca"), { commonName: "ca" });
  other = await createCertificateAuthority({ commonName: "ca" });
});

test.each<[string, Partial<IssueOptions>, boolean]>([
  ["what is wanted", {}, false],
  ["the same hosts in another order", { hosts: ["::1", "localhost", "127.0.0.1", "localhost"] }, false],
  ["another user", { commonName: "other" }, true],
  ["groups that are wanted no more", { organizations: ["a"] }, true],
  ["no groups any more", { organizations: [] }, true],
  ["another host", { hosts: ["localhost", "127.0.0.1", "::2"] }, true],
  ["a host that is wanted no more", { hosts: ["localhost", "127.0.0.1"] }, true],
  ["another usage", { usages: ["digital signature", "client auth"] }, true],
  ["less than 30 days of validity", { now: () => Date.now() + 340 * day }, true],
])("a kept certificate with %s is issued again: %s", async (_, change, again) => {
  const at = paths("pair");
  rmSync(at.certFile, { force: true });
  expect(await keepPair(at, ca, wanted)).toBe(true);
  const before = readFileSync(at.certFile, "utf8");
  expect(await keepPair(at, ca, { ...wanted, ...change })).toBe(again);
  expect(readFileSync(at.certFile, "utf8") !== before).toBe(again);
  expect(statSync(at.keyFile).mode & 0o777).toBe(0o600);
});

test("a kept key that others may read is restricted to its owner", async () => {
  const at = paths("open");
  await keepPair(at, ca, wanted);
  for (const { keyFile } of [at, paths("ca")]) chmodSync(keyFile, 0o644);
  expect(await keepPair(at, ca, wanted)).toBe(false);
  await keepAuthority(paths("ca"), { commonName: "ca" });
  for (const { keyFile } of [at, paths("ca")]) expect(statSync(keyFile).mode & 0o777).toBe(0o600);
});

test.each<[string, (at: ReturnType<typeof paths>) => void]>([
  ["whose key is missing", ({ keyFile }) => rmSync(keyFile)],
  ["whose key is another's", ({ keyFile }) => writeFileSync(keyFile, readFileSync(paths("ca").keyFile))],
  ["that is no certificate", ({ certFile }) => writeFileSync(certFile, "?")],
])("a pair %s is issued again", async (_, damage) => {
  const at = paths("damaged");
  await keepPair(at, ca, wanted);
  damage(at);
  expect(await keepPair(at, ca, wanted)).toBe(true);
  expect(await keepPair(at, ca, wanted)).toBe(false);
});

test("a certificate of another authority of the same name is issued again", async () => {
  const at = paths("moved");
  await keepPair(at, other, wanted);
  expect(await keepPair(at, ca, wanted)).toBe(true);
});

test("an authority is kept, and never replaced when its key is lost", async () => {
  expect((await keepAuthority(paths("ca"), { commonName: "ca" })).certPem).toBe(ca.certPem);
  await keepAuthority(paths("lost"), { commonName: "lost" });
  rmSync(paths("lost").keyFile);
  await expect(keepAuthority(paths("lost"), { commonName: "lost" })).rejects.toThrow("lost.key");
});
