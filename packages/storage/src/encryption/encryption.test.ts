import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmbeddedStore } from "../embedded/index.ts";
import { asRevision } from "../revision.ts";
import type { Store } from "../store.ts";
import { storeContract } from "../testing/store-contract.ts";
import { aesCbc, aesGcm, identity, secretbox } from "./ciphers.ts";
import { encryptStore } from "./encrypting-store.ts";
import { kmsDecrypt, kmsEncrypt, kmsStatus } from "./kms-messages.ts";
import { KmsProvider } from "./kms-provider.ts";
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

/** A key management service in this process. It encrypts by inverting bits. */
class FakeKms {
  keyId = "key-1";
  healthz = "ok";
  encrypts = 0;
  decrypts = 0;
  delayMs = 0;
  readonly dir = mkdtempSync(join(tmpdir(), "kms-"));
  readonly endpoint = `unix://${this.dir}/kms.sock`;
  readonly #server = new Server();

  async start(): Promise<void> {
    const turned = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0x5a));
    const unary = (path: string) => ({
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    });
    const definition = {
      Status: unary(kmsStatus.path),
      Encrypt: unary(kmsEncrypt.path),
      Decrypt: unary(kmsDecrypt.path),
    } as ServiceDefinition;
    const field = (number: number, content: Uint8Array) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
    const first = (bytes: Buffer) => bytes.subarray(2, 2 + (bytes[1] ?? 0));
    this.#server.addService(definition, {
      Status: (_call: unknown, done: (error: null, answer: Buffer) => void) =>
        done(
          null,
          Buffer.concat(
            [
              ["v2beta1", 1],
              [this.healthz, 2],
              [this.keyId, 3],
            ].map(([text, number]) => field(Number(number), Buffer.from(String(text)))),
          ),
        ),
      Encrypt: (call: { request: Buffer }, done: (error: null, answer: Buffer) => void) => {
        this.encrypts++;
        done(null, Buffer.concat([field(1, turned(first(call.request))), field(2, Buffer.from(this.keyId))]));
      },
      Decrypt: (call: { request: Buffer }, done: (error: null, answer: Buffer) => void) => {
        this.decrypts++;
        setTimeout(() => done(null, field(1, turned(first(call.request)))), this.delayMs);
      },
    });
    await new Promise<void>((resolve, reject) =>
      this.#server.bindAsync(this.endpoint, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  }

  stop(): void {
    this.#server.forceShutdown();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

describe("kms", () => {
  const kms = new FakeKms();
  let dir: string;
  let store: Store;
  beforeAll(async () => {
    await kms.start();
    dir = mkdtempSync(join(tmpdir(), "encrypted-"));
    store = await openEmbeddedStore({ path: dir, fsync: false });
  });
  afterAll(async () => {
    kms.stop();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const provider = async () => {
    const made = new KmsProvider({ name: "vault", endpoint: kms.endpoint });
    await made.start();
    return made;
  };

  test("one data key serves many values; another server has it decrypted once; a new key makes old values stale", async () => {
    const first = await provider();
    const chain = new ProviderChain([first]);
    const stored: Buffer[] = [];
    for (let i = 0; i < 20; i++) stored.push(Buffer.from(await chain.toStorage(value, `${at}${i}`)));
    expect(kms.encrypts).toBe(1);
    expect(stored[0]?.toString("latin1")).toMatch(/^o8s:enc:kms:v2:vault:/);
    expect(chain.fromStorage(stored[0] ?? value, `${at}0`)).toEqual({ value, stale: false });
    const second = await provider();
    const other = new ProviderChain([second]);
    const read = await Promise.all(stored.map((bytes, i) => other.fromStorage(bytes, `${at}${i}`)));
    expect(read.every((plain) => plain.value.equals(value) && !plain.stale)).toBe(true);
    expect(kms.decrypts).toBe(1);
    kms.keyId = "key-2";
    const third = await provider();
    expect(await new ProviderChain([third]).fromStorage(stored[0] ?? value, `${at}0`)).toEqual({ value, stale: true });
    for (const made of [first, second, third]) made.close();
  });

  test("changes behind one that waits for its data key stay in order, and progress stays before it", async () => {
    const writer = await provider();
    const prefix = "/registry/secrets/";
    const after = await store.revision();
    const encrypted = encryptStore(store, new ProviderChain([writer, identity]));
    for (let i = 0; i < 5; i++)
      await encrypted.commit([], [{ type: "put", key: `${prefix}k/${i}`, value: Buffer.from(`v${i}`) }]);
    kms.delayMs = 100;
    const reader = await provider();
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
    kms.delayMs = 0;
    for (const made of [writer, reader]) made.close();
  });

  test("reports why it is not usable", async () => {
    kms.healthz = "sealed";
    const made = await provider();
    expect(() => made.check()).toThrow('key management service "vault" is not usable: it says that it is "sealed"');
    kms.healthz = "ok";
    made.close();
    const gone = new KmsProvider({ name: "gone", endpoint: `unix://${dir}/no.sock`, timeoutMs: 500 });
    await gone.start();
    expect(() => gone.check()).toThrow(/"gone" is not usable/);
    await expect((async () => gone.seal(value, at))()).rejects.toMatchObject({ reason: "Unavailable" });
    gone.close();
  });
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
