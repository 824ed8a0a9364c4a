import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEmbeddedStore } from "../embedded/index.ts";
import { asRevision } from "../revision.ts";
import { storeContract } from "../testing/store-contract.ts";
import { aesCbc, aesGcm, identity, secretbox } from "./ciphers.ts";
import { encryptStore } from "./encrypting-store.ts";
import { ProviderChain } from "./provider-chain.ts";
import type { Provider } from "./transformer.ts";

const key = (name: string, bytes = 32) => ({ name, secret: Buffer.alloc(bytes, name) });
const value = Buffer.from('{"kind":"Secret","data":{"a":"Yg=="}}');
const at = "/registry/secrets/default/a";

const providers: readonly (readonly [string, Provider])[] = [
  ["aescbc", aesCbc(key("k1"))],
  ["aescbc, 16 bytes", aesCbc(key("k1", 16))],
  ["aesgcm", aesGcm(key("k1"))],
  ["aesgcm, 24 bytes", aesGcm(key("k1", 24))],
  ["secretbox", secretbox(key("k1"))],
];

describe.each(providers)("%s", (name, provider) => {
  const chain = new ProviderChain([provider, identity]);
  test("reads back what it stored under its prefix, and stores it differently each time", async () => {
    const stored = Buffer.from(await chain.toStorage(value, at));
    expect(stored.toString("latin1")).toMatch(new RegExp(`^o8s:enc:${name.split(",")[0]}:v1:k1:`));
    expect(stored.includes("Secret")).toBe(false);
    expect(await chain.fromStorage(stored, at)).toEqual({ value, stale: false });
    expect(Buffer.from(await chain.toStorage(value, at)).equals(stored)).toBe(false);
  });

  test("reads back empty and large values", async () => {
    for (const size of [0, 1, 15, 16, 17, 100_000]) {
      const plain = Buffer.alloc(size, "y");
      const stored = Buffer.from(await chain.toStorage(plain, at));
      expect((await chain.fromStorage(stored, at)).value.equals(plain)).toBe(true);
    }
  });

  test("rejects truncated values and those encrypted with another key", async () => {
    const stored = Buffer.from(await chain.toStorage(value, at));
    const other = new ProviderChain([
      aesCbc({ name: "k1", secret: Buffer.alloc(32, 9) }),
      aesGcm({ name: "k1", secret: Buffer.alloc(32, 9) }),
      secretbox({ name: "k1", secret: Buffer.alloc(32, 9) }),
    ]);
    // aescbc is not authenticated: a wrong key nearly always makes the padding invalid, but not always.
    if (!name.startsWith("aescbc"))
      expect(() => other.fromStorage(stored, at)).toThrow(/"\/registry\/secrets\/default\/a" cannot be decrypted/);
    expect(() => chain.fromStorage(stored.subarray(0, provider.prefix.length + 3), at)).toThrow(/cannot be decrypted/);
  });
});

test("aesgcm binds a value to its key", () => {
  const chain = new ProviderChain([aesGcm(key("k1"))]);
  const stored = chain.toStorage(value, at) as Buffer;
  expect(() => chain.fromStorage(stored, "/registry/secrets/default/b")).toThrow(/cannot be decrypted/);
});

test("secretbox is libsodium's: nonce, then tag and ciphertext", () => {
  // The test vector of NaCl (tests/secretbox.c), preceded by its nonce.
  const secret = Buffer.from("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389", "hex");
  const nonce = Buffer.from("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37", "hex");
  const box = Buffer.from("f3ffc7703f9400e52a7dfb4b3d3305d9", "hex");
  const stored = Buffer.concat([
    Buffer.from("o8s:enc:secretbox:v1:k:"),
    nonce,
    box,
    Buffer.from(
      "8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5",
      "hex",
    ),
  ]);
  const chain = new ProviderChain([secretbox({ name: "k", secret })]);
  expect((chain.fromStorage(stored, at) as { value: Buffer }).value.toString("hex")).toMatch(
    /^be075fc53c81f2d5cf141316ebeb0c7b/,
  );
});

test.each([
  ["rotated to a new key", [aesGcm(key("k2")), aesGcm(key("k1"))], true],
  ["another provider first", [secretbox(key("s")), identity, aesGcm(key("k1"))], true],
  ["decrypting all", [identity, aesGcm(key("k1"))], true],
  ["as before", [aesGcm(key("k1")), identity], false],
])("old data stays readable: %s", (_, list, stale) => {
  const stored = new ProviderChain([aesGcm(key("k1"))]).toStorage(value, at) as Buffer;
  expect(new ProviderChain(list).fromStorage(stored, at)).toEqual({ value, stale });
});

test("plain text is read only with identity, and is stale if another provider writes", () => {
  expect(new ProviderChain([aesGcm(key("k1")), identity]).fromStorage(value, at)).toEqual({ value, stale: true });
  expect(() => new ProviderChain([aesGcm(key("k1"))]).fromStorage(value, at)).toThrow(/has no identity provider/);
});

test("identity alone rejects encrypted values", () => {
  const stored = new ProviderChain([aesGcm(key("k1"))]).toStorage(value, at) as Buffer;
  expect(() => new ProviderChain([identity]).fromStorage(stored, at)).toThrow(
    /"o8s:enc:aesgcm:v1:k1", which no provider/,
  );
});

storeContract("an encrypted", async () => {
  const dir = mkdtempSync(join(tmpdir(), "encrypted-"));
  const store = await openEmbeddedStore({ path: dir, fsync: false });
  expect(await store.revision()).toBe(asRevision(1));
  return {
    store: encryptStore(store, new ProviderChain([aesGcm(key("k1"))])),
    async stop() {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
});
