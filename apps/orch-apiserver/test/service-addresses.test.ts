import { failedStart, poll, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

const gate = "--feature-gates=MultiCIDRServiceAllocator=true";
const addresses = "/apis/networking.o8s.io/v1alpha1/ipaddresses";
const services = "/api/v1/namespaces/default/services";
let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    flags: [
      gate,
      "--runtime-config=networking.o8s.io/v1alpha1=true",
      // Larger than ranges without the gate.
      "--service-cluster-ip-range=10.96.0.0/11,fd00:96::/64",
    ],
  });
}, 60_000);
afterAll(() => server?.stop());

const parentOf = async (address: string) =>
  (await call(server, "GET", `${addresses}/${address}`)).json?.spec?.parentRef;

test("the cluster's own service has the first address, as an object", async () => {
  const own = { resource: "services", namespace: "default", name: "orchernetes" };
  await poll({ what: "the service" }, async () => (await parentOf("10.96.0.1")) !== undefined);
  expect(await parentOf("10.96.0.1")).toMatchObject(own);
});

test("services get addresses of both families, and give them back", async () => {
  const body = { metadata: { name: "web" }, spec: { ports: [{ port: 80 }], ipFamilyPolicy: "RequireDualStack" } };
  const { json } = await call(server, "POST", services, { body });
  const [first, second] = (json.spec?.clusterIPs ?? []) as unknown as readonly string[];
  expect(first).toMatch(/^10\.(9[6-9]|1[01]\d|12[0-7])\./);
  expect(second).toMatch(/^fd00:96::/);
  for (const address of [first, second]) expect(await parentOf(address ?? "")).toMatchObject({ name: "web" });
  const { text } = await call(server, "GET", "/metrics");
  expect(text).toMatch(/orch_apiserver_clusterip_allocator_allocation_total\{cidr="fd00:96::\/64",scope="dynamic"\} 1/);
  expect(text).toMatch(/orch_apiserver_clusterip_allocator_allocated_ips\{cidr="fd00:96::\/64"\} 1/);
  await call(server, "DELETE", `${services}/web`);
  for (const address of [first, second])
    expect((await call(server, "GET", `${addresses}/${address}`)).status).toBe(404);
});

test("an address that was deleted under its service comes back", async () => {
  const body = { metadata: { name: "kept" }, spec: { clusterIP: "10.96.0.9", ports: [{ port: 80 }] } };
  expect((await call(server, "POST", services, { body })).status).toBe(201);
  await call(server, "DELETE", `${addresses}/10.96.0.9`);
  await poll({ what: "the address" }, async () => (await parentOf("10.96.0.9")) !== undefined);
  await poll({ what: "an event" }, async () => {
    const { text } = await call(server, "GET", "/api/v1/namespaces/default/events");
    return text.includes("Cluster IP [IPv4]:10.96.0.9 is not allocated; repairing");
  });
});

test("addresses survive a restart", async () => {
  await server.restart();
  expect(await parentOf("10.96.0.9")).toMatchObject({ name: "kept" });
  const body = { metadata: { name: "late" }, spec: { clusterIP: "10.96.0.9", ports: [{ port: 80 }] } };
  const { status, text } = await call(server, "POST", services, { body });
  expect([status, text]).toEqual([422, expect.stringContaining("provided IP is already allocated")]);
});

test("without its resource the gate stops the start", () => {
  const { code, errors } = failedStart("orch-apiserver", [gate, "--service-cluster-ip-range=fd00::/63"]);
  expect(code).toBe(1);
  expect(errors).toContainEqual(
    "--feature-gates: MultiCIDRServiceAllocator=true needs resource ipaddresses, which is not served; want --runtime-config=networking.o8s.io/v1alpha1=true, too",
  );
  expect(errors).toContainEqual(
    expect.stringMatching(/^--service-cluster-ip-range: "fd00::\/63" is too large; .* at least \/64$/),
  );
});
