import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { core, discovery } from "@orchernetes/api";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { createApiServer, type Registry } from "@orchernetes/apiserver";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { poll } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ipRange } from "../allocators/ip-range.ts";
import { clusterService, publishClusterService } from "./cluster-service.ts";
import { keepReconciled } from "./endpoint-reconciler.ts";
import { leaseReconciler } from "./lease-reconciler.ts";
import { masterCountReconciler } from "./master-count-reconciler.ts";

const PREFIX = "/registry/masterleases/";
let path: string;
let store: Store;
let registry: Registry;
let end = new AbortController();
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "endpoints-"));
  store = await openEmbeddedStore({ path, fsync: false });
  end = new AbortController();
  const definitions = [core.namespaces, core.services, core.endpoints, discovery.endpointSlices];
  const server = createApiServer({
    definitions: definitions as unknown as readonly ResourceDefinition[],
    store,
    authenticators: [],
    authorizers: [],
    signal: end.signal,
  });
  await server.start();
  registry = server.registry;
});
afterEach(async () => {
  end.abort();
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const lease = (address: string, ttlSeconds?: number) =>
  leaseReconciler({ registry, store, prefix: PREFIX, address, port: 6443, ...(ttlSeconds && { ttlSeconds }) });
const masterCount = (address: string, count: number) => masterCountReconciler({ registry, address, port: 6443, count });

/** The addresses of the endpoints and of the slice, which have to agree. */
async function published(): Promise<readonly string[]> {
  const { subsets = [] } = await registry.forDefinition(core.endpoints).get(clusterService);
  const slice = await registry.forDefinition(discovery.endpointSlices).get(clusterService);
  const addresses = subsets.flatMap((subset) => subset.addresses ?? []).map(({ ip }) => ip);
  expect(slice.endpoints.flatMap((endpoint) => endpoint.addresses)).toEqual(addresses);
  for (const { ports } of subsets) expect(ports).toEqual([{ name: "https", port: 6443, protocol: "TCP" }]);
  return addresses;
}

test("lease: every server that lives is in, one that leaves goes at once", async () => {
  const [a, b] = [lease("10.0.0.2"), lease("10.0.0.1")];
  await a.reconcile();
  expect(await published()).toEqual(["10.0.0.2"]);
  await b.reconcile();
  expect(await published()).toEqual(["10.0.0.1", "10.0.0.2"]);
  await a.remove();
  expect(await published()).toEqual(["10.0.0.1"]);
  await b.remove();
  expect((await store.list(PREFIX)).items).toEqual([]);
});

test("lease: the last server that leaves stays among the endpoints until another comes", async () => {
  await lease("10.0.0.1").reconcile();
  const revision = async () =>
    (await registry.forDefinition(core.endpoints).get(clusterService)).metadata.resourceVersion;
  const before = await revision();
  await lease("10.0.0.1").remove();
  expect(await published()).toEqual(["10.0.0.1"]);
  await lease("10.0.0.1").reconcile();
  expect(await revision()).toBe(before);
  await lease("10.0.0.1").remove();
  await lease("10.0.0.2").reconcile();
  expect(await published()).toEqual(["10.0.0.2"]);
});

test("lease: one that died goes when its lease runs out", async () => {
  await lease("10.0.0.1", 1).reconcile();
  const alive = lease("10.0.0.2");
  await keepReconciled(alive, { logger: { error: () => undefined }, signal: end.signal, intervalMs: 100 });
  expect(await published()).toContain("10.0.0.2");
  await poll({ what: "the dead server to go", timeoutMs: 20_000, intervalMs: 50 }, async () => {
    return (await published()).length === 1;
  });
  expect(await published()).toEqual(["10.0.0.2"]);
});

test("lease: servers that start at the same time are all in", async () => {
  const all = Array.from({ length: 8 }, (_, i) => `10.0.0.${i + 1}`);
  await Promise.all(all.map((address) => lease(address).reconcile()));
  const { subsets = [] } = await registry.forDefinition(core.endpoints).get(clusterService);
  expect(subsets.flatMap((subset) => subset.addresses ?? []).map(({ ip }) => ip)).toEqual(all);
  await lease("10.0.0.1").reconcile();
  expect(await published()).toEqual(all);
});

test("changes and deletions of the service, its endpoints and its slice are reverted", async () => {
  const services = registry.forDefinition(core.services);
  const publish = async () => {
    await publishClusterService(registry, { serviceRange: ipRange("10.96.0.0/16"), port: 6443, nodePort: 0 });
    await lease("10.0.0.1").reconcile();
  };
  const all = () =>
    Promise.all(
      [core.endpoints, discovery.endpointSlices].map(async (definition) => {
        const { metadata, ...rest } = await registry
          .forDefinition(definition as ResourceDefinition)
          .get(clusterService);
        return { labels: metadata.labels, rest };
      }),
    );
  await publish();
  const { spec } = await services.get(clusterService);
  const before = await all();
  const revision = await store.revision();
  await publish();
  // The lease alone is written again.
  expect(await store.revision()).toBe(revision + 1);

  await services.update(clusterService, (draft) => {
    draft.spec.selector = { app: "evil" };
    draft.spec.ports = [{ name: "http", port: 443, targetPort: 6443, protocol: "UDP" }];
  });
  await registry.forDefinition(core.endpoints).update(clusterService, (draft) => {
    draft.metadata.labels = {};
    draft.subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 1 }] }];
  });
  await registry.forDefinition(discovery.endpointSlices).update(clusterService, (draft) => {
    draft.metadata.labels = { "orchernetes.io/service-name": "other" };
    draft.endpoints = [];
  });
  await publish();
  expect((await services.get(clusterService)).spec).toEqual(spec);
  expect(await all()).toEqual(before);

  // A label alone.
  await registry.forDefinition(core.endpoints).update(clusterService, (draft) => {
    draft.metadata.labels = {};
  });
  await registry.forDefinition(discovery.endpointSlices).update(clusterService, (draft) => {
    draft.metadata.labels = {};
  });
  await publish();
  expect(await all()).toEqual(before);

  for (const definition of [core.services, core.endpoints, discovery.endpointSlices])
    await registry.forDefinition(definition as unknown as ResourceDefinition).delete(clusterService);
  await publish();
  expect((await services.get(clusterService)).spec).toEqual(spec);
  expect(await all()).toEqual(before);
});

test("the slice's family follows the server's", async () => {
  await lease("10.0.0.1").reconcile();
  await lease("10.0.0.1").remove();
  await lease("fd00::1").reconcile();
  const slice = await registry.forDefinition(discovery.endpointSlices).get(clusterService);
  expect(slice).toMatchObject({ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] });
});

test("master-count: no more than the count, and this server always", async () => {
  for (const ip of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) await masterCount(ip, 2).reconcile();
  expect(await published()).toEqual(["10.0.0.1", "10.0.0.3"]);
  await masterCount("10.0.0.1", 2).remove();
  expect(await published()).toEqual(["10.0.0.3"]);
});

test("the service: made once, its type and ports follow the flags, its address stays", async () => {
  const services = registry.forDefinition(core.services);
  const publish = (cidr: string, nodePort: number) =>
    publishClusterService(registry, { serviceRange: ipRange(cidr), port: 6443, nodePort });
  await publish("10.96.0.0/16", 0);
  const port = { name: "https", port: 443, protocol: "TCP", targetPort: 6443 };
  const first = await services.get(clusterService);
  expect(first.spec).toMatchObject({ type: "ClusterIP", clusterIP: "10.96.0.1", ports: [port] });
  await publish("10.97.0.0/16", 0);
  expect((await services.get(clusterService)).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  await publish("10.97.0.0/16", 30443);
  const spec = { type: "NodePort", clusterIP: "10.96.0.1", ports: [{ ...port, nodePort: 30443 }] };
  expect((await services.get(clusterService)).spec).toMatchObject(spec);
  await publish("10.97.0.0/16", 0);
  const back = await services.get(clusterService);
  expect(back.spec).toMatchObject({ type: "ClusterIP", ports: [port] });
  expect(back.spec.ports?.[0]?.nodePort).toBeUndefined();
});
