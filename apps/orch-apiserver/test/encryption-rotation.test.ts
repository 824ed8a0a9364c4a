import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEtcdStore, type Store } from "@orchernetes/storage";
import {
  etcdAvailable,
  type KmsPlugin,
  poll,
  startApiServer,
  startKmsPlugin,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "./support.ts";

const dir = mkdtempSync(join(tmpdir(), "rotation-"));
const file = join(dir, "encryption.json");
const SECRETS = "/api/v1/namespaces/default/secrets";
const NAMES = ["a", "b", "c"] as const;
const MARKER = Buffer.from("nobody-may-read-this").toString("base64");

let plugin: KmsPlugin;
let server: TestApiServer;
/** What is in etcd. */
let raw: Store;

const secret = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const keys = (...numbers: readonly number[]) => ({
  aesgcm: { keys: numbers.map((number) => ({ name: `k${number}`, secret: secret(number) })) },
});
const kms = (apiVersion: "v1" | "v2", timeout = "3s") => ({
  kms: { apiVersion, name: `vault-${apiVersion}`, endpoint: plugin.endpoint, timeout },
});
const plain = { identity: {} };

const write = (...providers: readonly object[]): void =>
  writeFileSync(
    file,
    JSON.stringify({
      kind: "EncryptionConfiguration",
      apiVersion: "apiserver.config.o8s.io/v1",
      resources: [{ resources: ["secrets"], providers }],
    }),
  );

async function metric(name: string): Promise<number> {
  const { text } = await call(server, "GET", "/metrics");
  const line = text.split("\n").find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  return Number(line?.split(" ").at(-1) ?? 0);
}
const reloads = "apiserver_encryption_config_controller_automatic_reload_success_total";
const failures = "apiserver_encryption_config_controller_automatic_reload_failures_total";

/** Changes the configuration, and waits until the server has taken it over. */
async function configure(...providers: readonly object[]): Promise<void> {
  const before = await metric(reloads);
  write(...providers);
  await poll(
    { what: "the configuration to be reloaded", timeoutMs: 20_000 },
    async () => (await metric(reloads)) > before,
  );
}

/** Writes every secret again as it is, as storage migrations do. */
async function rewriteAll(): Promise<void> {
  for (const name of NAMES) {
    const { bytes } = await call(server, "GET", `${SECRETS}/${name}`);
    expect((await call(server, "PUT", `${SECRETS}/${name}`, { raw: bytes })).status).toBe(200);
  }
}

/** How each secret is stored: what comes before its bytes. */
async function stored(): Promise<readonly string[]> {
  const { items } = await raw.list("/registry/secrets/default/");
  return items.map(({ value }) => {
    const text = value.toString("latin1");
    expect(text.includes(MARKER)).toBe(!text.startsWith("o8s:enc:"));
    return text.startsWith("o8s:enc:") ? text.split(":").slice(2, 5).join(":") : "plain";
  });
}

/** All secrets can be read, from the store as well. */
async function readable(): Promise<void> {
  for (const name of NAMES)
    expect((await call(server, "GET", `${SECRETS}/${name}`)).json["data"]).toEqual({ v: MARKER });
}

describe.runIf(etcdAvailable())("keys are rotated while the server runs", () => {
  beforeAll(async () => {
    plugin = await startKmsPlugin();
    write(plain);
    server = await startApiServer({
      store: "etcd",
      flags: [
        `--encryption-provider-config=${file}`,
        "--encryption-provider-config-automatic-reload",
        // Reads come from the store, so that they are decrypted each time.
        "--watch-cache=false",
      ],
    });
    raw = await openEtcdStore({ servers: [server.etcd?.url ?? ""] });
    for (const name of NAMES)
      await call(server, "POST", SECRETS, { body: { metadata: { name }, data: { v: MARKER } } });
  }, 60_000);
  afterAll(async () => {
    await raw?.close();
    await server?.stop();
    plugin?.stop();
    rmSync(dir, { recursive: true });
  });

  test("from plain text to a first key", async () => {
    expect(await stored()).toEqual(["plain", "plain", "plain"]);
    await configure(keys(1), plain);
    await readable();
    await rewriteAll();
    expect(await stored()).toEqual(Array(3).fill("aesgcm:v1:k1"));
  });

  test("from one key to another: added second, moved first, and the old one is removed when nothing needs it", async () => {
    await configure(keys(1, 2), plain);
    await rewriteAll();
    expect(await stored()).toEqual(Array(3).fill("aesgcm:v1:k1"));
    await configure(keys(2, 1), plain);
    await readable();
    await call(server, "PATCH", `${SECRETS}/a`, {
      raw: '{"metadata":{"labels":{"x":"y"}}}',
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect(await stored()).toEqual(["aesgcm:v1:k2", "aesgcm:v1:k1", "aesgcm:v1:k1"]);
    await rewriteAll();
    expect(await stored()).toEqual(Array(3).fill("aesgcm:v1:k2"));
    await configure(keys(2));
    await readable();
  });

  test("a configuration that cannot be used is reported, and the former one stays", async () => {
    const before = await metric(failures);
    plugin.kill();
    write(kms("v1", "500ms"), keys(2));
    await poll({ what: "a failed reload", timeoutMs: 20_000 }, async () => (await metric(failures)) > before);
    await rewriteAll();
    expect(await stored()).toEqual(Array(3).fill("aesgcm:v1:k2"));
    expect(server.log(1000)).toContain(
      "failed to perform encrypt section of the healthz check for KMS Provider vault-v1",
    );
    expect(server.log(1000)).not.toContain(secret(2));
  });

  test("and is taken over once its key service is there: from a key to KMS v1", async () => {
    const before = await metric(reloads);
    await plugin.start();
    await poll({ what: "a reload", timeoutMs: 20_000 }, async () => (await metric(reloads)) > before);
    await rewriteAll();
    expect(await stored()).toEqual(Array(3).fill("kms:v1:vault-v1"));
    expect((await call(server, "GET", "/readyz/kms-providers")).status).toBe(200);
    await configure(kms("v1"));
    await readable();
  });

  test("from KMS v1 to v2", async () => {
    await configure(kms("v2"), kms("v1"));
    await readable();
    await rewriteAll();
    expect(await stored()).toEqual(Array(3).fill("kms:v2:vault-v2"));
    await configure(kms("v2"));
    await readable();
    const { text } = await call(server, "GET", "/metrics");
    expect(text).toMatch(
      /key_id_hash_total\{transformation_type="to_storage",provider_name="vault-v2",key_id_hash="sha256:/,
    );
  });

  test("to a new key of the service, which old values do not outlive", async () => {
    const keyIds = async () =>
      (await raw.list("/registry/secrets/default/")).items.map(
        ({ value }) => /key-\d/.exec(value.toString("latin1"))?.[0],
      );
    plugin.rotate();
    // Another configuration asks the service at once; otherwise it is asked every minute.
    await configure(kms("v2", "4s"));
    await readable();
    expect(await keyIds()).toEqual(Array(3).fill("key-1"));
    await rewriteAll();
    expect(await keyIds()).toEqual(Array(3).fill("key-2"));
    const { json } = await call(server, "GET", `${SECRETS}/a`);
    await rewriteAll();
    const again = await call(server, "GET", `${SECRETS}/a`);
    expect(again.json["metadata"]?.["resourceVersion"]).toEqual(json["metadata"]?.["resourceVersion"]);
  });

  test("a server that starts while the service is slow reads what it needs when it can", async () => {
    plugin.behave({ type: "slow", delayMs: 300 });
    await server.restart();
    await readable();
    plugin.behave({ type: "fail", message: "sealed" });
    // Values of known data keys stay readable, and can be written.
    await rewriteAll();
    await readable();
    plugin.behave({ type: "work" });
  });
});
