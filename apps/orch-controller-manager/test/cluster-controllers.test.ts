import type { Client } from "@orchernetes/client";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import { beforeAll, expect, test } from "vitest";
import {
  endpointSlices,
  endpoints,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  serviceAccounts,
  services,
} from "../src/shared/refs.ts";
import { testCluster } from "./test-cluster.ts";

const cluster = testCluster("cluster-controllers");
const names = ["ttl", "ephemeral-volume", "endpointslicemirroring"];
let server: TestApiServer;
let admin: Client;

beforeAll(async () => {
  server = await cluster.startServer({ authorizationMode: "RBAC" });
  admin = server.client();
  await admin.resource(namespaces).create({ metadata: { name: "test" } });
  await admin
    .resource(serviceAccounts)
    .namespace("test")
    .create({ metadata: { name: "default" } });
  // Each controller works as its own service account, with the rights of its role alone.
  await cluster.startManager(server, "--use-service-account-credentials", `--controllers=${names.join()}`);
}, 90_000);

/** Waits until something holds. */
const eventually = (what: string, holds: () => Promise<boolean>): Promise<boolean> =>
  poll({ what, timeoutMs: 30_000, intervalMs: 50 }, holds);

test("a node is told for how long it may cache", async () => {
  await admin.resource(nodes).create({ metadata: { name: "node-a" } });
  await eventually("the annotation", async () => {
    const { metadata } = await admin.resource(nodes).get("node-a");
    return metadata.annotations?.["node.alpha.orchernetes.io/ttl"] === "0";
  });
});

test("a generic ephemeral volume gets its claim, which the pod owns", async () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } as const;
  const pod = await admin
    .resource(pods)
    .namespace("test")
    .create({
      metadata: { name: "p" },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "data", ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec } } }],
      },
    });
  const claims = admin.resource(persistentVolumeClaims).namespace("test");
  await eventually("the claim", async () => (await claims.list()).items.length > 0);
  const claim = await claims.get("p-data");
  expect(claim.metadata).toMatchObject({ labels: { a: "b" }, ownerReferences: [{ uid: pod.metadata.uid }] });
  expect(claim.spec.resources).toEqual({ requests: { storage: "1Gi" } });
});

test("the Endpoints of a service without selector are mirrored, as many as fit, and go with them", async () => {
  const own = (name: string) => ({ labelSelector: `orchernetes.io/service-name=${name}` });
  const slices = admin.resource(endpointSlices).namespace("test");
  const ofNamespace = admin.resource(endpoints).namespace("test");
  await admin
    .resource(services)
    .namespace("test")
    .create({ metadata: { name: "db" }, spec: { ports: [{ port: 80 }] } });
  const addresses = Array.from({ length: 3000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  await ofNamespace.create({
    metadata: { name: "db", labels: { team: "x" } },
    subsets: [
      { addresses, ports: [{ port: 8080 }] },
      { addresses: [{ ip: "fd00::1" }], ports: [{ port: 8080 }] },
    ],
  });
  await eventually("two slices", async () => (await slices.list(own("db"))).items.length === 2);
  const { items } = await slices.list(own("db"));
  expect(items.map(({ addressType, endpoints: all }) => [addressType, all.length]).sort()).toEqual([
    ["IPv4", 1000],
    ["IPv6", 1],
  ]);
  expect(items[0]?.metadata.labels).toMatchObject({
    team: "x",
    "endpointslice.orchernetes.io/managed-by": "endpointslicemirroring-controller.o8s.io",
  });
  await ofNamespace.delete("db");
  await eventually("no slices", async () => (await slices.list(own("db"))).items.length === 0);
});
