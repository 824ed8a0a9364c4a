import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@orchernetes/kernel";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEmbeddedStore } from "../embedded/index.ts";
import type { Store } from "../store.ts";
import { type KmsPlugin, type KmsPluginBehaviour, startKmsPlugin } from "../testing/start-kms-plugin.ts";
import { identity } from "./ciphers.ts";
import { encryptStore } from "./encrypting-store.ts";
import { KmsProvider, type KmsProviderOptions } from "./kms-provider.ts";
import type { KmsService } from "./kms-service.ts";
import { KmsV1Provider, type KmsV1ProviderOptions } from "./kms-v1-provider.ts";
import { ProviderChain } from "./provider-chain.ts";

const value = Buffer.from('{"kind":"Secret","data":{"a":"Yg=="}}');
const at = "/registry/secrets/default/a";
const TIMEOUT_MS = 300;

let kms: KmsPlugin;
let made: KmsService[];
beforeEach(async () => {
  made = [];
  kms = await startKmsPlugin();
});
afterEach(() => {
  for (const service of made) service.close();
  kms.stop();
});

async function started<S extends KmsService>(service: S): Promise<S> {
  made.push(service);
  await service.start();
  return service;
}
const v1 = (options: Partial<KmsV1ProviderOptions> = {}) =>
  started(new KmsV1Provider({ name: "vault", endpoint: kms.endpoint, timeoutMs: TIMEOUT_MS, ...options }));
const v2 = (options: Partial<KmsProviderOptions> = {}) =>
  started(new KmsProvider({ name: "vault", endpoint: kms.endpoint, timeoutMs: TIMEOUT_MS, ...options }));

/** The outcome as a promise, whether or not the call is one. */
const late = async <T>(work: () => T | Promise<T>): Promise<T> => await work();
const check = (service: KmsService) => late(() => service.check());
const seal = async (service: KmsService, key = at) => Buffer.from(await service.seal(value, key));

describe("version 1", () => {
  test("each value has its own data key; another server decrypts each key once while it is cached", async () => {
    const writer = await v1();
    const chain = new ProviderChain([writer, identity]);
    const before = kms.calls["v1beta1.Encrypt"] ?? 0;
    const stored: Buffer[] = [];
    for (let i = 0; i < 5; i++) stored.push(Buffer.from(await chain.toStorage(value, `${at}${i}`)));
    expect((kms.calls["v1beta1.Encrypt"] ?? 0) - before).toBe(5);
    expect(kms.calls["v1beta1.Version"]).toBe(1);
    expect(stored[0]?.toString("latin1")).toMatch(/^o8s:enc:kms:v1:vault:/);
    expect(stored[0]?.includes("Secret")).toBe(false);
    const remembering = await v1({ cacheSize: 3 });
    const decrypts = () => kms.calls["v1beta1.Decrypt"] ?? 0;
    const read = async (service: KmsService) => {
      const from = decrypts();
      for (const [i, bytes] of stored.entries())
        expect(await new ProviderChain([service]).fromStorage(bytes, `${at}${i}`)).toEqual({ value, stale: false });
      return decrypts() - from;
    };
    expect(await read(writer)).toBe(0);
    expect(await read(remembering)).toBe(5);
    const last = stored.at(-1) ?? value;
    const from = decrypts();
    await new ProviderChain([remembering]).fromStorage(last, `${at}4`);
    expect(decrypts()).toBe(from);
    const forgetful = await v1({ cacheSize: -1 });
    expect([await read(forgetful), await read(forgetful)]).toEqual([5, 5]);
  });

  test("a value is bound to its key in the store, and truncated values are rejected", async () => {
    const provider = await v1();
    const sealed = await seal(provider);
    await expect(late(() => provider.open(sealed, `${at}x`))).rejects.toThrow();
    for (const length of [0, 1, 2, 10, sealed.length - 1])
      await expect(late(() => provider.open(sealed.subarray(0, length), at))).rejects.toThrow();
    expect(await provider.open(sealed, at)).toEqual(value);
  });

  test("a check is made every 20 s, after a failure every 3 s", async () => {
    const clock = new FakeClock();
    const provider = await v1({ clock });
    const checks = () => kms.calls["v1beta1.Encrypt"];
    await check(provider);
    clock.advance(19_000);
    await check(provider);
    expect(checks()).toBe(1);
    clock.advance(1001);
    kms.behave({ type: "fail", message: "sealed" });
    const failed = /failed to perform encrypt section of the healthz check for KMS Provider vault, error: .*sealed/;
    await expect(check(provider)).rejects.toThrow(failed);
    kms.behave({ type: "work" });
    await expect(check(provider)).rejects.toThrow(failed);
    clock.advance(3001);
    await check(provider);
    expect(checks()).toBe(3);
  });

  const rows: readonly (readonly [KmsPluginBehaviour, RegExp])[] = [
    [{ type: "version", version: "v9" }, /has version "v9"; want v1beta1/],
    [{ type: "empty" }, /encrypted a data key to 0 bytes/],
    [{ type: "enormous", bytes: 70_000 }, /encrypted a data key to 70000 bytes; want 1 to 65535/],
    [{ type: "enormous", bytes: 5_000_000 }, /larger than max/],
    [{ type: "silent" }, /Deadline exceeded/],
    [{ type: "slow", delayMs: 3 * TIMEOUT_MS }, /Deadline exceeded/],
    [{ type: "fail", message: "no key for you" }, /no key for you/],
  ];
  test.each(rows)("a service that is %o is reported, and writes fail in time", async (behaviour, message) => {
    kms.behave(behaviour);
    const provider = await v1();
    await expect(check(provider)).rejects.toThrow(message);
    await expect(seal(provider)).rejects.toMatchObject({
      reason: "Unavailable",
      message: expect.stringMatching(message),
    });
    kms.behave({ type: "work" });
    expect(await provider.open(await seal(provider), at)).toEqual(value);
  });

  test("a service that decrypts to something else is reported; its answer is not cached", async () => {
    const sealed = await seal(await v1());
    kms.behave({ type: "wrong" });
    const reader = await v1();
    await expect(check(reader)).rejects.toThrow("the decrypted text differs from the encrypted one");
    await expect(late(() => reader.open(sealed, at))).rejects.toThrow();
    kms.behave({ type: "empty" });
    await expect(late(() => reader.open(sealed, at))).rejects.toThrow(
      "decrypted a data key to 0 bytes; want 16, 24, 32",
    );
    kms.behave({ type: "work" });
    expect(await reader.open(sealed, at)).toEqual(value);
  });
});

describe("version 2", () => {
  test("one data key serves many values; another server decrypts it once; a new key makes old values stale", async () => {
    const first = await v2();
    const chain = new ProviderChain([first]);
    const stored: Buffer[] = [];
    for (let i = 0; i < 20; i++) stored.push(Buffer.from(await chain.toStorage(value, `${at}${i}`)));
    expect(kms.calls["v2.Encrypt"]).toBe(1);
    expect(stored[0]?.toString("latin1")).toMatch(/^o8s:enc:kms:v2:vault:/);
    expect(chain.fromStorage(stored[0] ?? value, `${at}0`)).toEqual({ value, stale: false });
    const other = new ProviderChain([await v2()]);
    const read = await Promise.all(stored.map((bytes, i) => other.fromStorage(bytes, `${at}${i}`)));
    expect(read.every((plain) => plain.value.equals(value) && !plain.stale)).toBe(true);
    expect(kms.calls["v2.Decrypt"]).toBe(1);
    kms.rotate();
    const third = new ProviderChain([await v2()]);
    expect(await third.fromStorage(stored[0] ?? value, `${at}0`)).toEqual({ value, stale: true });
  });

  test("a key that the service rotates is noticed within a minute", async () => {
    const clock = new FakeClock();
    const provider = await v2({ clock });
    const old = await seal(provider);
    kms.rotate();
    expect(provider.stale(old)).toBe(false);
    clock.advance(60_000);
    for (let i = 0; !provider.stale(old) && i < 100; i++) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(provider.stale(old)).toBe(true);
    expect(provider.stale(await seal(provider))).toBe(false);
    expect(await provider.open(old, at)).toEqual(value);
  });

  test("while the service is unavailable reads continue, and writes for three minutes; then writes fail until it responds", async () => {
    const clock = new FakeClock();
    const provider = await v2({ clock });
    const sealed = await seal(provider);
    kms.kill();
    clock.advance(179_000);
    const again = await seal(provider);
    clock.advance(2000);
    await expect(seal(provider)).rejects.toMatchObject({
      reason: "Unavailable",
      message: expect.stringContaining('"vault" is not usable: key management service "vault" did not answer'),
    });
    await expect(check(provider)).rejects.toThrow("did not answer /v2.KeyManagementService/Status");
    for (const bytes of [sealed, again]) expect(await provider.open(bytes, at)).toEqual(value);
    await kms.start();
    for (let i = 0; i < 50 && kms.calls["v2.Status"] === 1; i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await seal(provider).catch(() => undefined);
    }
    expect(provider.stale(await seal(provider))).toBe(false);
    await check(provider);
  });

  test("a check calls the service, unless it was called just before", async () => {
    const clock = new FakeClock();
    const provider = await v2({ clock });
    kms.behave({ type: "unhealthy", healthz: "sealed" });
    clock.advance(19_999);
    await check(provider);
    clock.advance(1);
    await expect(check(provider)).rejects.toThrow('it reports that it is "sealed"');
    kms.behave({ type: "work" });
    await expect(check(provider)).rejects.toThrow("sealed");
    clock.advance(3000);
    await check(provider);
    expect(kms.calls["v2.Status"]).toBe(3);
  });

  const rows: readonly (readonly [KmsPluginBehaviour, RegExp])[] = [
    [{ type: "version", version: "v9" }, /it has version "v9"; want one of v2beta1, v2/],
    [{ type: "unhealthy", healthz: "sealed" }, /it reports that it is "sealed"/],
    [{ type: "otherKeyId" }, /it encrypted with key "stranger"; its status reports "key-1"/],
    [{ type: "empty" }, /it encrypted a data key to 0 bytes; want 1 to 1024/],
    [{ type: "enormous", bytes: 2000 }, /it encrypted a data key to 2000 bytes; want 1 to 1024/],
    [{ type: "enormous", bytes: 5_000_000 }, /larger than max/],
    [{ type: "silent" }, /Deadline exceeded/],
    [{ type: "slow", delayMs: 3 * TIMEOUT_MS }, /Deadline exceeded/],
    [{ type: "fail", message: "no key for you" }, /no key for you/],
  ];
  test.each(rows)("a service that is %o is reported, and writes fail in time", async (behaviour, message) => {
    kms.behave(behaviour);
    // Megabytes take longer than the timeout on a busy machine.
    const provider = await v2(behaviour.type === "enormous" ? { timeoutMs: 30_000 } : {});
    await expect(check(provider)).rejects.toThrow(message);
    await expect(seal(provider)).rejects.toMatchObject({
      reason: "Unavailable",
      message: expect.stringMatching(message),
    });
    kms.behave({ type: "work" });
    expect(await provider.open(await seal(provider), at)).toEqual(value);
  });

  test("a service whose key id does not match is reported; values keep the former data key", async () => {
    const clock = new FakeClock();
    const provider = await v2({ clock });
    const sealed = await seal(provider);
    kms.rotate();
    kms.behave({ type: "otherKeyId" });
    clock.advance(60_000);
    for (let i = 0; kms.calls["v2.Encrypt"] === 1 && i < 100; i++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(check(provider)).rejects.toThrow('it encrypted with key "stranger"; its status reports "key-2"');
    expect(provider.stale(sealed)).toBe(false);
    expect(await provider.open(await seal(provider), at)).toEqual(value);
  });

  test("the answer of a service that decrypts to something else is not cached", async () => {
    const sealed = await seal(await v2());
    kms.behave({ type: "wrong" });
    const reader = await v2();
    await expect(late(() => reader.open(sealed, at))).rejects.toThrow();
    kms.behave({ type: "enormous", bytes: 100 });
    await expect(late(() => reader.open(sealed, at))).rejects.toThrow("decrypted a data key to 100 bytes");
    kms.behave({ type: "work" });
    expect(await reader.open(sealed, at)).toEqual(value);
  });

  describe("values in a store", () => {
    let dir: string;
    let store: Store;
    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "encrypted-"));
      store = await openEmbeddedStore({ path: dir, fsync: false });
    });
    afterAll(async () => {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    });

    test("changes after one that waits for its data key stay in order, and progress is not reported beyond it", async () => {
      const prefix = "/registry/secrets/";
      const after = await store.revision();
      const encrypted = encryptStore(store, new ProviderChain([await v2(), identity]));
      for (let i = 0; i < 5; i++)
        await encrypted.commit([], [{ type: "put", key: `${prefix}k/${i}`, value: Buffer.from(`v${i}`) }]);
      const reader = await v2();
      kms.behave({ type: "slow", delayMs: 100 });
      const view = encryptStore(store, new ProviderChain([reader, identity]));
      const seen: string[] = [];
      const plain = await store.commit([], [{ type: "put", key: `${prefix}k/plain`, value: Buffer.from("plain") }]);
      await new Promise<void>((resolve) => {
        const subscription = view.subscribe?.(prefix, after, {
          onBatch({ changes }) {
            for (const change of changes) seen.push(change.type === "put" ? change.value.toString() : "gone");
          },
          onEnd() {},
        });
        subscription?.whenReached(plain.revision, () => {
          expect(subscription.revision).toBeGreaterThanOrEqual(plain.revision);
          expect(seen).toEqual(["v0", "v1", "v2", "v3", "v4", "plain"]);
          subscription.close();
          resolve();
        });
      });
    });
  });
});

test("a service that cannot be reached is not usable, in either version", async () => {
  const gone = { endpoint: "unix:///nowhere/kms.sock" };
  for (const service of [await v1(gone), await v2(gone)]) {
    await expect(check(service)).rejects.toThrow("vault");
    await expect(seal(service)).rejects.toMatchObject({ reason: "Unavailable" });
  }
});
