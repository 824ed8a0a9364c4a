import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import {
  freePort,
  node,
  poll,
  type RunningDaemon,
  service,
  startApiServer,
  startDaemon,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const UNINITIALIZED = "node.cloudprovider.orchernetes.io/uninitialized";
const dir = mkdtempSync(join(tmpdir(), "local-cloud-"));
let server: TestApiServer;
let manager: RunningDaemon;
let admin: Client;

beforeAll(async () => {
  server = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  admin = server.client();
  manager = await startDaemon({
    name: "cloud-controller-manager",
    flags: [
      `--orchconfig=${server.clientConfig}`,
      "--cloud-provider=local",
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      "--leader-elect=false",
    ],
    dir,
  });
}, 90_000);
afterAll(async () => {
  await manager?.stop();
  await server?.stop();
  rmSync(dir, { recursive: true });
});

test("a node that waits for a cloud is initialized", async () => {
  const nodes = admin.resource(core.nodes);
  const { metadata, spec, status } = node("a")
    .taint(UNINITIALIZED, "NoSchedule", "true")
    .status({ addresses: [{ type: "InternalIP", address: "192.0.2.1" }] })
    .build();
  await nodes.create({ metadata: { name: metadata.name }, spec, status } as never);
  const found = await poll({ what: "the node to be initialized", timeoutMs: 30_000 }, async () => {
    const now = await nodes.get("a");
    return now.spec?.providerID === "local://a" ? now : undefined;
  });
  expect(found.spec?.taints?.map(({ key }) => key) ?? []).not.toContain(UNINITIALIZED);
  expect(found.metadata.labels).toMatchObject({ "node.orchernetes.io/instance-type": "local" });
  expect(found.status?.addresses?.[0]).toEqual({ type: "InternalIP", address: "192.0.2.1" });
});

test("a service of type LoadBalancer gets the node's address, keeps it until the type changes, and can be deleted", async () => {
  const services = admin.resource(core.services).namespace("default");
  const { metadata, spec } = service("web").spec({ type: "LoadBalancer" }).port(80).build();
  await services.create({ metadata: { name: metadata.name }, spec } as never);
  const found = await poll({ what: "an address", timeoutMs: 30_000 }, async () => {
    const now = await services.get("web");
    return (now.status?.loadBalancer?.ingress ?? []).length > 0 ? now : undefined;
  });
  expect(found.status?.loadBalancer).toEqual({ ingress: [{ ip: "192.0.2.1" }] });
  expect(found.metadata.finalizers).toEqual(["service.orchernetes.io/load-balancer-cleanup"]);
  await services.patch("web", { metadata: { finalizers: [...(found.metadata.finalizers ?? []), "example.com/mine"] } });
  await services.patch("web", { spec: { type: "ClusterIP" } });
  const released = await poll({ what: "the release", timeoutMs: 30_000 }, async () => {
    const now = await services.get("web");
    return now.metadata.finalizers?.length === 1 && now.status?.loadBalancer?.ingress === undefined ? now : undefined;
  });
  expect(released.metadata.finalizers).toEqual(["example.com/mine"]);
  await services.patch("web", { metadata: { finalizers: null }, spec: { type: "LoadBalancer" } });
  await poll({ what: "an address again", timeoutMs: 30_000 }, async () => {
    const { status } = await services.get("web");
    return (status?.loadBalancer?.ingress ?? []).length > 0;
  });
  await services.delete("web");
  await poll({ what: "the deletion", timeoutMs: 30_000 }, async () => {
    const { items } = await services.list();
    return items.every(({ metadata: { name } }) => name !== "web");
  });
  const events = await admin.resource(core.events).namespace("default").list();
  const reasons = new Set(events.items.map(({ reason }) => reason));
  for (const reason of [
    "EnsuringLoadBalancer",
    "EnsuredLoadBalancer",
    "DeletingLoadBalancer",
    "DeletedLoadBalancer",
    "Type",
  ]) {
    expect(reasons).toContain(reason);
  }
});
