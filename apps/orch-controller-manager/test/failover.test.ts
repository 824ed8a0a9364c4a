import type { Client } from "@orchernetes/client";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import { beforeAll, expect, test } from "vitest";
import { deployments, leases, namespaces, nodes, pods, serviceAccounts } from "../src/shared/refs.ts";
import { type TestManager, testCluster } from "./test-cluster.ts";

const cluster = testCluster("failover");
const flags = [
  "--leader-elect=true",
  "--leader-elect-lease-duration=3s",
  "--leader-elect-renew-deadline=2s",
  "--leader-elect-retry-period=500ms",
  "--controllers=deployment,replicaset,nodeipam",
  "--allocate-node-cidrs",
  "--cluster-cidr=10.244.0.0/16",
];
const [sets, replicas, nodeCount] = [8, 50, 60];
let server: TestApiServer;
let admin: Client;
let first: TestManager;

beforeAll(async () => {
  server = await cluster.startServer();
  admin = server.client();
  await admin.resource(namespaces).create({ metadata: { name: "test" } });
  await admin
    .resource(serviceAccounts)
    .namespace("test")
    .create({ metadata: { name: "default" } });
  first = await cluster.runManager(server, ...flags);
  await eventually(
    "a leader",
    async () => (await admin.resource(leases).namespace("orch-system").list()).items.length > 0,
  );
  await cluster.runManager(server, ...flags);
}, 90_000);

const eventually = (what: string, holds: () => Promise<boolean>): Promise<boolean> =>
  poll({ what, timeoutMs: 60_000, intervalMs: 20 }, holds);
const ofTest = () => admin.resource(pods).namespace("test");

const createSet = (name: string): Promise<unknown> =>
  admin
    .resource(deployments)
    .namespace("test")
    .create({
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] },
        },
      },
    });

test("a manager that is killed in the middle of its work is followed by another, and nothing is there twice", async () => {
  const { metadata } = await ofTest().list();
  const created: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    const options = { resourceVersion: metadata.resourceVersion ?? "", signal: stop.signal };
    for await (const { type, object } of ofTest().watch(options)) {
      if (type === "ADDED") created.push(object.metadata.labels?.app ?? "");
      // Nothing deletes pods here: one that is deleted was one too many.
      if (type === "DELETED") created.push("deleted");
    }
  })().catch(() => undefined);
  const names = Array.from({ length: sets }, (_, i) => `web-${i}`);
  const nodeNames = Array.from({ length: nodeCount }, (_, i) => ({ metadata: { name: `node-${i}` } }));
  const writing = Promise.all([
    ...names.map(createSet),
    ...nodeNames.map((node) => admin.resource(nodes).create(node)),
  ]);
  await eventually("the first pods", async () => created.length > 10);
  await first.kill9();
  const killedAt = created.length;
  await writing;
  await eventually("all pods", async () => created.length >= sets * replicas);
  await eventually("all ranges", async () => {
    const { items } = await admin.resource(nodes).list();
    return items.length === nodeCount && items.every(({ spec }) => spec?.podCIDRs?.length === 1);
  });
  await eventually("the status of all", async () => {
    const { items } = await admin.resource(deployments).namespace("test").list();
    return items.every(({ status }) => status?.replicas === replicas);
  });
  stop.abort();
  await watching;
  expect(killedAt).toBeLessThan(sets * replicas);
  const counts = [...Map.groupBy(created, (name) => name)].map(([name, all]) => [name, all.length]);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(names.map((name) => [name, replicas])));
  const { items } = await admin.resource(nodes).list();
  expect(new Set(items.map(({ spec }) => spec?.podCIDR)).size).toBe(nodeCount);
}, 120_000);
