import { createClient } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { createZone, type Zone } from "@orchernetes/dns";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { clusterInformers } from "../state/cluster-informers.ts";
import { loopbackAddressOf } from "../userspace/loopback-address.ts";
import { informedObjects } from "./informed-objects.ts";

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(
  podNames: "insecure" | "verified",
  servedAt?: (clusterIP: string) => string | undefined,
): Promise<{ server: FakeApiServer; zone: Zone }> {
  const server = await startFakeApiServer();
  ends.push(() => server.close());
  server.put("/api/v1/namespaces", { metadata: { name: "demo" } });
  server.put("/api/v1/services", {
    metadata: { name: "web", namespace: "demo" },
    spec: { clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7", "FD00:96::7"], ports: [{ name: "http", port: 80 }] },
  });
  server.put("/apis/discovery.o8s.io/v1/endpointslices", {
    metadata: { name: "web-1", namespace: "demo", labels: { "orchernetes.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: true } }],
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  });
  server.put("/api/v1/pods", {
    metadata: { name: "p", namespace: "demo" },
    spec: { containers: [] },
    status: { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] },
  });
  const client = createClient({ server: server.url });
  ends.push(() => client.close());
  const stop = new AbortController();
  ends.push(() => stop.abort());
  const informers = clusterInformers(client, { nodeName: "n", resyncMs: 0, logger: silentLogger });
  const { objects, run } = informedObjects(client, informers, {
    podNames,
    logger: silentLogger,
    ...(servedAt && { servedAt }),
  });
  const zone = createZone({ domain: "cluster.local", addresses: [], podNames, objects, serial: () => 1 });
  expect(zone.lookUp("web.demo.svc.cluster.local", "A").kind).toBe("unsynced");
  informers.run(stop.signal);
  run(stop.signal);
  await vi.waitFor(() => expect(objects.hasSynced()).toBe(true));
  return { server, zone };
}

test("names follow the objects of the API server", async () => {
  const { server, zone } = await started("insecure");
  expect(zone.lookUp("web.demo.svc.cluster.local", "AAAA")).toMatchObject({ answers: [{ data: "FD00:96::7" }] });
  expect(zone.lookUp("10-1-0-1.web.demo.svc.cluster.local", "A")).toMatchObject({ answers: [{ data: "10.1.0.1" }] });
  expect(zone.lookUp("7.0.96.10.in-addr.arpa", "PTR")).toMatchObject({
    answers: [{ data: "web.demo.svc.cluster.local" }],
  });
  expect(zone.lookUp("1.0.1.10.in-addr.arpa", "PTR")).toMatchObject({
    answers: [{ data: "10-1-0-1.web.demo.svc.cluster.local" }],
  });
  expect(zone.lookUp("new.demo.svc.cluster.local", "A").kind).toBe("noSuchName");
  server.put("/api/v1/services", {
    metadata: { name: "new", namespace: "demo" },
    spec: { type: "ExternalName", externalName: "example.com" },
  });
  await vi.waitFor(() => expect(zone.lookUp("new.demo.svc.cluster.local", "A").kind).toBe("alias"));
});

test("verified names of pods are those of the namespace's pods", async () => {
  const { zone } = await started("verified");
  expect(zone.lookUp("10-1-0-1.demo.pod.cluster.local", "A").kind).toBe("records");
  expect(zone.lookUp("10-1-0-2.demo.pod.cluster.local", "A").kind).toBe("noSuchName");
});

test("where services are served at other addresses, names are those of the others", async () => {
  const { server, zone } = await started("insecure", loopbackAddressOf);
  expect(zone.lookUp("web.demo.svc.cluster.local", "A")).toMatchObject({ answers: [{ data: "127.96.0.7" }] });
  expect(zone.lookUp("web.demo.svc.cluster.local", "AAAA")).toMatchObject({ kind: "records", answers: [] });
  expect(zone.lookUp("7.0.96.127.in-addr.arpa", "PTR")).toMatchObject({
    answers: [{ data: "web.demo.svc.cluster.local" }],
  });
  server.put("/api/v1/services", {
    metadata: { name: "db", namespace: "demo" },
    spec: { clusterIP: "None", clusterIPs: ["None"] },
  });
  server.put("/apis/discovery.o8s.io/v1/endpointslices", {
    metadata: { name: "db-1", namespace: "demo", labels: { "orchernetes.io/service-name": "db" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.0.2"], conditions: { ready: true } }],
    ports: [],
  });
  await vi.waitFor(() =>
    expect(zone.lookUp("db.demo.svc.cluster.local", "A")).toMatchObject({ answers: [{ data: "10.1.0.2" }] }),
  );
});
