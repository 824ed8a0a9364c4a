import type { Client } from "@orchernetes/client";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import { beforeAll, expect, test } from "vitest";
import {
  clusterCIDRs,
  endpointSlices,
  endpoints,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  resourceClaims,
  resourceClaimTemplates,
  serviceAccounts,
  services,
} from "../src/shared/refs.ts";
import { testCluster } from "./test-cluster.ts";

const cluster = testCluster("cluster-controllers");
const names = ["ttl", "ephemeral-volume", "endpointslicemirroring", "nodeipam", "resource-claim-controller"];
const gates = "--feature-gates=DynamicResourceAllocation=true,MultiCIDRRangeAllocator=true";
let server: TestApiServer;
let admin: Client;

beforeAll(async () => {
  const groups = "networking.o8s.io/v1alpha1=true,resource.o8s.io/v1alpha2=true";
  server = await cluster.startServer({ authorizationMode: "RBAC", flags: [gates, `--runtime-config=${groups}`] });
  admin = server.client();
  await admin.resource(namespaces).create({ metadata: { name: "test" } });
  await admin
    .resource(serviceAccounts)
    .namespace("test")
    .create({ metadata: { name: "default" } });
  // Each controller works as its own service account, with the rights of its role alone.
  await cluster.startManager(
    server,
    "--use-service-account-credentials",
    `--controllers=${names.join()}`,
    gates,
    "--allocate-node-cidrs",
    "--cidr-allocator-type=MultiCIDRRangeAllocator",
    "--cluster-cidr=10.244.0.0/16,fd00::/112",
    "--node-cidr-mask-size-ipv6=120",
    "--service-cluster-ip-range=10.244.0.0/24",
  );
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

test("nodes get ranges of the flags, or of a ClusterCIDR for their labels, which stays as long as it is used", async () => {
  const rangesOf = async (name: string) => (await admin.resource(nodes).get(name)).spec?.podCIDRs ?? [];
  await eventually("the ranges", async () => (await rangesOf("node-a")).length > 0);
  // The first IPv4 range belongs to services.
  expect(await rangesOf("node-a")).toEqual(["10.244.1.0/24", "fd00::/120"]);
  const objects = admin.resource(clusterCIDRs);
  const requirement = { key: "gpu", operator: "Exists" } as const;
  await objects.create({
    metadata: { name: "gpu" },
    spec: {
      perNodeHostBits: 6,
      ipv4: "10.250.0.0/16",
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] },
    },
  });
  await eventually("the finalizer", async () => (await objects.get("gpu")).metadata.finalizers?.length === 1);
  await admin.resource(nodes).create({ metadata: { name: "node-b", labels: { gpu: "" } } });
  await eventually("the ranges", async () => (await rangesOf("node-b")).length > 0);
  expect(await rangesOf("node-b")).toEqual(["10.250.0.0/26"]);
  await objects.delete("gpu");
  expect((await objects.get("gpu")).metadata.deletionTimestamp).toBeDefined();
  await admin.resource(nodes).delete("node-b");
  await eventually("the end of the object", async () => {
    const { items } = await objects.list();
    return items.map(({ metadata }) => metadata.name).join() === "default-cluster-cidr";
  });
});

test("a pod gets its claims from templates, and does not keep them in use after its end", async () => {
  const spec = { resourceClassName: "gpus" };
  await admin
    .resource(resourceClaimTemplates)
    .namespace("test")
    .create({ metadata: { name: "t" }, spec: { metadata: { labels: { a: "b" } }, spec } });
  const pod = await admin
    .resource(pods)
    .namespace("test")
    .create({
      metadata: { name: "worker" },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }],
        resourceClaims: [{ name: "gpu", source: { resourceClaimTemplateName: "t" } }],
      },
    });
  const claims = admin.resource(resourceClaims).namespace("test");
  await eventually("the claim", async () => (await claims.list()).items.length > 0);
  const claim = await claims.get("worker-gpu");
  expect(claim).toMatchObject({ metadata: { labels: { a: "b" } }, spec });
  const { uid } = pod.metadata;
  await claims.updateStatus({
    ...claim,
    status: { driverName: "d.example", allocation: {}, reservedFor: [{ resource: "pods", name: "worker", uid }] },
  });
  await admin.resource(pods).namespace("test").delete("worker");
  await eventually("no users", async () => {
    const { items } = await claims.list();
    return items.every(({ status }) => (status?.reservedFor ?? []).length === 0);
  });
});
