import { core } from "@orchernetes/api";
import { etcdAvailable, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe.each([
  ["embedded" as const, true],
  ["etcd" as const, etcdAvailable()],
])("API server on the %s store", (store, available) => {
  let server: TestApiServer;
  beforeAll(async () => {
    if (available) server = await startApiServer({ store, authorizationMode: "RBAC" });
  });
  afterAll(() => server?.stop());

  test.skipIf(!available)("keeps what it acknowledged when it is killed", async () => {
    const configMaps = server.client().resource<core.ConfigMap>(core.configMaps).namespace("default");
    await configMaps.create({ metadata: { name: "kept", namespace: "default" }, data: { a: "1" } });
    const before = server.pid;
    await server.kill9();
    expect(server.running).toBe(false);
    await server.restart();
    expect(server.pid).not.toBe(before);
    expect(server.readyAfterMs).toBeGreaterThan(0);
    const kept = await server.client().resource<core.ConfigMap>(core.configMaps).namespace("default").get("kept");
    expect(kept.data).toEqual({ a: "1" });
  });
});

test("an API server that cannot start says why", async () => {
  await expect(startApiServer({ flags: ["--no-such-flag"] })).rejects.toThrow(/no-such-flag/);
});
