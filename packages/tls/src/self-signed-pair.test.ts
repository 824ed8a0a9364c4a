import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureSelfSignedPair } from "./self-signed-pair.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "pair-"));
});
afterEach(() => rm(directory, { recursive: true }));

const start = Date.UTC(2030, 0, 1);
const make = (now = start) =>
  ensureSelfSignedPair({
    certDir: join(directory, "pki"),
    name: "apiserver",
    hosts: ["host-a", "localhost", "127.0.0.1", "::1"],
    validityMs: 3600_000,
    now: () => now,
  });

test("a pair is created with a private key file and a name for every host", async () => {
  const files = await make();
  expect(files).toEqual({
    certFile: join(directory, "pki/apiserver.crt"),
    keyFile: join(directory, "pki/apiserver.key"),
    created: true,
  });
  expect((await stat(files.keyFile)).mode & 0o777).toBe(0o600);
  const leaf = new X509Certificate(await readFile(files.certFile));
  expect(leaf.checkHost("localhost")).toBe("localhost");
  expect(leaf.checkIP("::1")).toBe("::1");
});

test.each<{
  name: string;
  spoil: (files: { certFile: string; keyFile: string }) => Promise<void>;
  at: number;
  created: boolean;
}>([
  { name: "a usable pair is reused", spoil: async () => {}, at: start + 1000, created: false },
  { name: "an expired pair is replaced", spoil: async () => {}, at: start + 3600_001, created: true },
  { name: "a missing key is replaced", spoil: ({ keyFile }) => rm(keyFile), at: start, created: true },
  {
    name: "a broken certificate is replaced",
    spoil: ({ certFile }) => writeFile(certFile, "x"),
    at: start,
    created: true,
  },
])("$name", async ({ spoil, at, created }) => {
  const first = await make();
  await spoil(first);
  const second = await make(at);
  expect(second.created).toBe(created);
  expect((await make(at)).created).toBe(false);
});

test("an unwritable directory is reported with the flags that help", async () => {
  await writeFile(join(directory, "pki"), "a file");
  await expect(make()).rejects.toThrow(
    /cannot write a self-signed serving certificate into .*want a writable --cert-dir/,
  );
});
