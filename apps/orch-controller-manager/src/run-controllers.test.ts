import type { apps, core } from "@orchernetes/api";
import { createClient } from "@orchernetes/client";
import { type CannedAnswer, type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { type CloudProvider, type LoadBalancers, succeeded } from "@orchernetes/cloud-provider";
import { createHealth, createMetrics } from "@orchernetes/component";
import { noQueueMetrics } from "@orchernetes/controller";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { controllers } from "./controllers/index.ts";
import type { ChosenCloud } from "./read-cloud.ts";
import { runControllers } from "./run-controllers.ts";
import { deployments, namespaces, replicaSets } from "./shared/refs.ts";
import { template } from "./testing/builders.ts";
import { document, settings } from "./testing/settings.ts";

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"];
const resource = (name: string, kind: string, namespaced = true) => ({ name, kind, namespaced, verbs });
const documents: Readonly<Record<string, unknown>> = {
  "/healthz": {},
  "/api": { versions: ["v1"] },
  "/apis": { groups: [{ name: "apps", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } }] },
  "/api/v1": {
    resources: [
      resource("pods", "Pod"),
      resource("configmaps", "ConfigMap"),
      resource("namespaces", "Namespace", false),
    ],
  },
  "/apis/apps/v1": { resources: [resource("deployments", "Deployment"), resource("replicasets", "ReplicaSet")] },
};

/** What a server makes of the status of new objects. */
const statuses: Readonly<Record<string, unknown>> = {
  namespaces: { phase: "Active" },
  pods: { phase: "Pending" },
  replicasets: { replicas: 0 },
};

let server: FakeApiServer;
let stop: AbortController;
let running: Promise<void>;
beforeEach(async () => {
  server = await startFakeApiServer();
  server.hook = ({ path }): CannedAnswer | undefined =>
    path in documents ? { status: 200, body: documents[path] } : undefined;
  server.prepare = (collection, object) => ({ ...object, status: statuses[collection.split("/").at(-1) ?? ""] ?? {} });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
  await server.close();
});

function start(cloud: ChosenCloud | undefined = undefined): ReturnType<typeof createClient> {
  const client = createClient({ server: server.url });
  const config = { settings: document, client: { server: server.url }, cloud, controllers: settings };
  const health = createHealth({ logger: silentLogger });
  running = runControllers(
    {
      config,
      enabled: controllers,
      client,
      userAgent: "test",
      metrics: createMetrics(),
      queueMetrics: noQueueMetrics,
      health,
      logger: silentLogger,
    },
    stop.signal,
  ).finally(() => client.close());
  return client;
}

const images = (): readonly string[] =>
  server
    .objects("/api/v1/pods")
    .map((object) => (object as unknown as core.Pod).spec.containers[0]?.image ?? "")
    .sort();

describe("the controllers together", () => {
  test("a Deployment creates pods, scales, rolls out a new template, and is deleted with everything that it owns", async () => {
    const client = start();
    const resource = client.resource<apps.Deployment>(deployments).namespace("ns");
    const { uid } = (
      await resource.create({
        metadata: { name: "web" },
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: "x" } },
          template: template("i:1"),
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: "100%" } },
        },
        status: {},
      })
    ).metadata;
    await vi.waitFor(() => expect(images()).toEqual(["i:1", "i:1", "i:1"]), { timeout: 4000 });
    await resource.patch("web", { spec: { replicas: 5 } });
    await vi.waitFor(() => expect(images()).toHaveLength(5), { timeout: 4000 });
    await resource.patch("web", { spec: { template: template("i:2") } });
    await vi.waitFor(() => expect(images()).toEqual(Array.from({ length: 5 }, () => "i:2")), { timeout: 4000 });
    const sets = server.objects("/apis/apps/v1/replicasets");
    expect(sets).toHaveLength(2);
    for (const { metadata } of sets) expect(metadata.ownerReferences).toMatchObject([{ kind: "Deployment", uid }]);
    await resource.delete("web");
    await vi.waitFor(
      () => expect([...server.objects("/apis/apps/v1/replicasets"), ...server.objects("/api/v1/pods")]).toEqual([]),
      { timeout: 4000 },
    );
  });

  test("a cloud that cannot be reached holds up its own controllers only", async () => {
    const reached = Promise.withResolvers<CloudProvider>();
    start({ module: { create: () => reached.promise }, config: undefined });
    server.put("/api/v1/namespaces", { metadata: { name: "ns" }, status: { phase: "Active" } });
    await vi.waitFor(() => expect(server.objects("/api/v1/serviceaccounts")).toHaveLength(1), { timeout: 4000 });
    const ensure = vi.fn(async () => succeeded({ ingress: [{ ip: "192.0.2.1" }] }));
    reached.resolve({ name: "late", loadBalancers: { ensure } as Partial<LoadBalancers> as LoadBalancers });
    const spec = { type: "LoadBalancer" };
    server.put("/api/v1/services", { metadata: { name: "web", namespace: "ns" }, spec, status: { loadBalancer: {} } });
    await vi.waitFor(() => expect(ensure).toHaveBeenCalled(), { timeout: 4000 });
  });

  test("a lost pod is replaced, a surplus one removed, an orphan adopted", async () => {
    const client = start();
    await client
      .resource<apps.ReplicaSet>(replicaSets)
      .namespace("ns")
      .create({
        metadata: { name: "rs" },
        spec: { replicas: 2, selector: { matchLabels: { app: "x" } }, template: template() },
        status: { replicas: 0 },
      });
    await vi.waitFor(() => expect(images()).toHaveLength(2), { timeout: 4000 });
    const [first] = server.objects("/api/v1/pods");
    server.remove("/api/v1/pods", `ns/${first?.metadata.name}`);
    await vi.waitFor(() => expect(images()).toHaveLength(2), { timeout: 4000 });
    server.put("/api/v1/pods", {
      metadata: { name: "orphan", namespace: "ns", labels: { app: "x" } },
      spec: { containers: [], nodeName: "" },
      status: { phase: "Pending" },
    });
    await vi.waitFor(
      () => {
        const pods = server.objects("/api/v1/pods");
        expect(pods).toHaveLength(2);
        for (const { metadata } of pods)
          expect(metadata.ownerReferences).toMatchObject([{ name: "rs", controller: true }]);
      },
      { timeout: 4000 },
    );
  });

  test("a namespace gets its service account and root CA", async () => {
    const client = start();
    await client
      .resource<core.Namespace>(namespaces)
      .create({ metadata: { name: "fresh" }, status: { phase: "Active" } });
    await vi.waitFor(
      () => {
        expect(server.objects("/api/v1/serviceaccounts").map(({ metadata }) => metadata.name)).toEqual(["default"]);
        expect(server.objects("/api/v1/configmaps")).toMatchObject([
          { metadata: { name: "orch-root-ca.crt", namespace: "fresh" }, data: { "ca.crt": "PEM" } },
        ]);
      },
      { timeout: 4000 },
    );
  });
});
