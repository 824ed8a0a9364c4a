import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { startApiServer, startKmsPlugin } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encryptionMetrics } from "../metrics/encryption-metrics.ts";
import { createEncryption } from "./encryption.ts";

const secret = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const configOf = (providers: string): string =>
  `{"kind":"EncryptionConfiguration","apiVersion":"apiserver.config.o8s.io/v1","resources":[{"resources":["secrets"],"providers":[${providers}]}]}`;
const gcm = (name: string, byte: number): string =>
  `{"aesgcm":{"keys":[{"name":"${name}","secret":"${secret(byte)}"}]}}`;
const plain = `{"identity":{}}`;

let dir: string;
let store: Store;
const end = new AbortController();
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "encryption-"));
  store = await openEmbeddedStore({ path: join(dir, "store"), fsync: false });
});
afterAll(async () => {
  end.abort();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const secrets = { group: "", plural: "secrets" };

test("follows its file, and stays with the last good one", async () => {
  const file = join(dir, "config.json");
  writeFileSync(file, configOf(plain));
  const encryption = await createEncryption({ file, reload: true, logger: silentLogger, signal: end.signal });
  const view = encryption.storeFor(secrets, store);
  const raw = async (key: string) => (await store.get(key))?.value.toString("latin1").split(":").slice(0, 5).join(":");
  const put = (key: string) => view.commit([], [{ type: "put", key, value: Buffer.from("v") }]);
  await put("/registry/secrets/a/1");
  expect(await raw("/registry/secrets/a/1")).toBe("v");
  writeFileSync(file, configOf(`${gcm("k1", 1)},${plain}`));
  expect(await encryption.refresh()).toBe(true);
  expect(await view.get("/registry/secrets/a/1")).toMatchObject({ stale: true });
  await put("/registry/secrets/a/2");
  expect(await raw("/registry/secrets/a/2")).toBe("o8s:enc:aesgcm:v1:k1");
  writeFileSync(file, "{");
  expect(await encryption.refresh()).toBe(false);
  expect((await view.get("/registry/secrets/a/2"))?.value.toString()).toBe("v");
  expect(await encryption.refresh()).toBe(false);
});

test("is measured", async () => {
  const file = join(dir, "measured.json");
  writeFileSync(file, configOf(gcm("k1", 1)));
  const registry = createMetrics();
  const metrics = encryptionMetrics(registry);
  const encryption = await createEncryption({ file, reload: false, logger: silentLogger, metrics, signal: end.signal });
  const view = encryption.storeFor(secrets, store);
  await view.commit([], [{ type: "put", key: "/registry/secrets/m/1", value: Buffer.from("v") }]);
  await view.get("/registry/secrets/m/1");
  await store.commit([], [{ type: "put", key: "/registry/secrets/m/2", value: Buffer.from("o8s:enc:aesgcm:v1:k1:x") }]);
  await expect(view.get("/registry/secrets/m/2")).rejects.toThrow();
  const counted = (type: string, status: string) =>
    `operations_total{transformation_type="${type}",transformer_prefix="o8s:enc:aesgcm:v1:",status="${status}"} 1\n`;
  for (const [type = "", status = ""] of [
    ["to_storage", "OK"],
    ["from_storage", "OK"],
    ["from_storage", "Unknown"],
  ])
    expect(registry.render()).toContain(counted(type, status));
});

test("each key service has a check, all have one together if the file is followed or all speak version 2", async () => {
  const plugin = await startKmsPlugin();
  const file = join(dir, "kms.json");
  const kms = (version: string) =>
    `{"kms":{"apiVersion":"${version}","name":"${version}","endpoint":"${plugin.endpoint}","timeout":"500ms"}}`;
  const checksOf = async (providers: readonly string[], reload = false) => {
    writeFileSync(file, configOf([...providers, plain].join(",")));
    const { checks } = await createEncryption({ file, reload, logger: silentLogger, signal: end.signal });
    return checks;
  };
  const names = async (...given: Parameters<typeof checksOf>) => (await checksOf(...given)).map(({ name }) => name);
  expect(await names([kms("v1"), kms("v2")])).toEqual(["kms-provider-0", "kms-provider-1"]);
  expect(await names([kms("v2")])).toEqual(["kms-providers"]);
  expect(await names([kms("v1"), kms("v2")], true)).toEqual(["kms-providers"]);
  expect(await names([])).toEqual([]);
  plugin.behave({ type: "fail", message: "sealed" });
  const [together] = await checksOf([kms("v1"), kms("v2")], true);
  await expect(together?.check(end.signal)).rejects.toThrow(/^kms-provider-0: .*sealed.*; kms-provider-1: .*sealed/);
  plugin.stop();
});

test("costs nothing for a resource that is not configured", async () => {
  const file = join(dir, "static.json");
  writeFileSync(file, configOf(gcm("k1", 1)));
  const encryption = await createEncryption({ file, reload: false, logger: silentLogger, signal: end.signal });
  expect(encryption.storeFor({ group: "", plural: "pods" }, store)).toBe(store);
  expect(encryption.storeFor(secrets, store)).not.toBe(store);
});

test("secrets of a server are encrypted on disk, and an update that changes nothing encrypts old ones", async () => {
  const file = join(dir, "server.json");
  writeFileSync(file, configOf(plain));
  const server = await startApiServer({ flags: [`--encryption-provider-config=${file}`] });
  try {
    const path = "/api/v1/namespaces/default/secrets";
    const client = server.client();
    const marker = "plain-on-disk";
    const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "one" }, stringData: { a: marker } };
    await client.request({ method: "POST", path, body });
    const encoded = Buffer.from(marker).toString("base64");
    const value = async () => {
      await server.kill9();
      const opened = await openEmbeddedStore({ path: join(server.dir, "store") });
      const found = await opened.get("/registry/secrets/default/one");
      await opened.close();
      return found?.value.toString("latin1") ?? "";
    };
    expect(await value()).toContain(encoded);
    writeFileSync(file, configOf(`${gcm("k1", 1)},${plain}`));
    await server.restart();
    const first = (await server.client().request({ method: "GET", path: `${path}/one` })) as Secret;
    const second = (await server.client().request({ method: "PUT", path: `${path}/one`, body: first })) as Secret;
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    expect(second.data).toEqual({ a: encoded });
    const third = (await server.client().request({ method: "PUT", path: `${path}/one`, body: second })) as Secret;
    expect(third.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    expect(await value()).toMatch(/^o8s:enc:aesgcm:v1:k1:/);
    expect(await value()).not.toContain(encoded);
    await server.restart();
    expect(await server.client().request({ method: "GET", path: `${path}/one` })).toMatchObject({
      data: { a: encoded },
    });
  } finally {
    await server.stop();
  }
}, 30_000);

interface Secret {
  readonly metadata: { readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}
