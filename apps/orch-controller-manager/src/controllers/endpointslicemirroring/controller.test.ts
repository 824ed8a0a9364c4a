import type { FakeApiServer } from "@orchernetes/client/testing";
import { createMetrics, type Metrics } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { endpointSliceMirroringController } from "./controller.ts";

const slicesPath = "/apis/discovery.o8s.io/v1/endpointslices";
const endpointsPath = "/api/v1/endpoints";
const servicesPath = "/api/v1/services";
const patience = { timeout: 6000 };
let server: FakeApiServer;
let metrics: Metrics;
beforeEach(async () => {
  server = await serverForTest();
  server.put(servicesPath, { metadata: { name: "svc", namespace: "ns" }, spec: {} });
  metrics = createMetrics();
});

const start = (): void => {
  startControllers(server, [endpointSliceMirroringController], {}, systemClock, { metrics });
};
const putEndpoints = (...ips: readonly string[]): unknown =>
  server.put(endpointsPath, {
    metadata: { name: "svc", namespace: "ns" },
    subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 80 }] }],
  });
const addresses = () =>
  server
    .objects(slicesPath)
    .map(({ endpoints }) => (endpoints as { addresses: string[] }[]).flatMap((endpoint) => endpoint.addresses));

test("slices follow the Endpoints, and go with them", async () => {
  putEndpoints("10.0.0.1");
  start();
  await vi.waitFor(() => expect(addresses()).toEqual([["10.0.0.1"]]), patience);
  putEndpoints("10.0.0.1", "10.0.0.2");
  await vi.waitFor(() => expect(addresses()).toEqual([["10.0.0.1", "10.0.0.2"]]), patience);
  const page = metrics.render();
  expect(page).toContain('endpoint_slice_mirroring_controller_changes{operation="create"} 1');
  expect(page).toContain("endpoint_slice_mirroring_controller_endpoints_desired 2");
  server.remove(endpointsPath, "ns/svc");
  await vi.waitFor(() => expect(addresses()).toEqual([]), patience);
  expect(metrics.render()).toContain("endpoint_slice_mirroring_controller_num_endpoint_slices 0");
});

test("a slice that somebody changes or deletes is restored", async () => {
  putEndpoints("10.0.0.1");
  start();
  await vi.waitFor(() => expect(addresses()).toEqual([["10.0.0.1"]]), patience);
  const [slice] = server.objects(slicesPath);
  if (slice === undefined) throw new Error("not created");
  server.put(slicesPath, { ...slice, endpoints: [] });
  await vi.waitFor(() => expect(addresses()).toEqual([["10.0.0.1"]]), patience);
  server.remove(slicesPath, `ns/${slice.metadata.name}`);
  await vi.waitFor(() => expect(addresses()).toEqual([["10.0.0.1"]]), patience);
});

test("when a service gets a selector, its Endpoints are no longer mirrored", async () => {
  putEndpoints("10.0.0.1");
  start();
  await vi.waitFor(() => expect(addresses()).toHaveLength(1), patience);
  server.put(servicesPath, { metadata: { name: "svc", namespace: "ns" }, spec: { selector: { app: "x" } } });
  await vi.waitFor(() => expect(addresses()).toEqual([]), patience);
});

test("a slice that could not be created is created later, once", async () => {
  let refusals = 1;
  server.hook = ({ method, path }) => {
    if (method !== "POST" || !path.endsWith("/endpointslices") || refusals === 0) return undefined;
    refusals -= 1;
    return { status: 500, body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 500 } };
  };
  putEndpoints("10.0.0.1");
  start();
  await vi.waitFor(() => expect(addresses()).toEqual([["10.0.0.1"]]), patience);
});
