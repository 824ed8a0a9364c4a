import { join } from "node:path";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { failedStart, poll, type TestApiServer } from "@orchernetes/testkit";
import { beforeAll, expect, test } from "vitest";
import { leases, storageVersions } from "../src/shared/refs.ts";
import { testCluster } from "./test-cluster.ts";

const cluster = testCluster("storage-versions");
const gate = "--feature-gates=StorageVersionAPI=true";
let server: TestApiServer;
let admin: Client;

beforeAll(async () => {
  server = await cluster.startServer({
    authorizationMode: "RBAC",
    flags: [gate, "--runtime-config=internal.apiserver.o8s.io/v1alpha1=true"],
  });
  admin = server.client();
  await cluster.startManager(server, "--use-service-account-credentials", "--controllers=storage-version-gc", gate);
}, 90_000);

const all = () => admin.resource(storageVersions);
const identityLeases = () => admin.resource(leases).namespace("orch-system");
const idOfServer = async (): Promise<string> => {
  const { items } = await identityLeases().list({ labelSelector: "apiserver.orchernetes.io/identity=orch-apiserver" });
  return items[0]?.metadata.name ?? "";
};

test("a server that is ready has published the storage version of every resource", async () => {
  const apiServerID = await idOfServer();
  expect(apiServerID).toMatch(/^apiserver-[a-z2-7]{26}$/);
  const { items } = await all().listAll();
  const found = new Map(items.map((item) => [item.metadata.name, item.status]));
  const wanted: Readonly<Record<string, string>> = {
    "core.pods": "v1",
    "apps.deployments": "apps/v1",
    // Two groups share these objects.
    "events.o8s.io.events": "v1",
    "apiextensions.o8s.io.customresourcedefinitions": "apiextensions.o8s.io/v1",
    "internal.apiserver.o8s.io.storageversions": "internal.apiserver.o8s.io/v1alpha1",
  };
  for (const [name, version] of Object.entries(wanted))
    expect(found.get(name), name).toMatchObject({
      commonEncodingVersion: version,
      storageVersions: [
        { apiServerID, encodingVersion: version, decodableVersions: expect.arrayContaining([version]) },
      ],
      conditions: [{ type: "AllEncodingVersionsEqual", status: "True", reason: "CommonEncodingVersionSet" }],
    });
  expect(found.get("autoscaling.horizontalpodautoscalers")?.storageVersions?.[0]?.decodableVersions).toEqual([
    "autoscaling/v1",
    "autoscaling/v2",
  ]);
  // Reviews are never stored.
  expect([...found.keys()].filter((name) => name.includes("review"))).toEqual([]);
});

test("a server that is restarted does not change what it has published", async () => {
  const before = (await all().get("core.pods")).metadata.resourceVersion;
  await server.restart();
  expect((await all().get("core.pods")).metadata.resourceVersion).toBe(before);
}, 60_000);

const ghost = { apiServerID: "apiserver-ghost", encodingVersion: "v2", decodableVersions: ["v2"] };

test("entries of servers without a lease are removed, and the common version is restored", async () => {
  const pods = await all().get("core.pods");
  const servers = [...(pods.status.storageVersions ?? []), ghost];
  const { commonEncodingVersion: _, ...status } = pods.status;
  await all().updateStatus({ ...pods, status: { ...status, storageVersions: servers } });
  await poll({ what: "the entry of the missing server to be removed", timeoutMs: 30_000, intervalMs: 50 }, async () => {
    const found = (await all().get("core.pods")).status;
    return found.storageVersions?.length === 1 && found.commonEncodingVersion === "v1";
  });
});

test("when the lease of a server is deleted, so are its entries, and a StorageVersion without entries", async () => {
  const name = ghost.apiServerID;
  const labels = { "apiserver.orchernetes.io/identity": "orch-apiserver" };
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  await identityLeases().create({
    metadata: { name, labels },
    spec: { holderIdentity: "ghost", leaseDurationSeconds: 3600, renewTime },
  });
  const created = await all().create({ metadata: { name: "example.com.things" }, spec: {}, status: {} });
  const conditions = [
    {
      type: "AllEncodingVersionsEqual",
      status: "True",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      reason: "A",
      message: "a",
    },
  ] as const;
  await all().updateStatus({
    ...created,
    status: { storageVersions: [ghost], commonEncodingVersion: "v2", conditions },
  });
  await identityLeases().delete(name);
  await poll({ what: "the end of the storage version", timeoutMs: 30_000, intervalMs: 50 }, async () => {
    try {
      await all().get("example.com.things");
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
});

test("a server that cannot publish its storage versions does not start", () => {
  const { code, errors } = failedStart("orch-apiserver", [
    "--storage-backend=embedded",
    `--embedded-store-path=${join(cluster.dir, "store")}`,
    gate,
  ]);
  expect([code, errors]).toEqual([
    1,
    [
      "--feature-gates: StorageVersionAPI=true needs resource storageversions, which is not served; want --runtime-config=internal.apiserver.o8s.io/v1alpha1=true, too",
    ],
  ]);
});
