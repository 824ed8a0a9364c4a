import type { discovery } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { pod, service } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { endpointSliceController } from "./controller.ts";

const slicesPath = "/apis/discovery.o8s.io/v1/endpointslices";
const patience = { timeout: 20_000 };

let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
  server.prepare = (_, object) => ({ ...object, metadata: { ...object.metadata, generation: 1 } });
  put("/api/v1/services", service("web", { selector: { app: "x" }, clusterIP: "10.96.0.1", ipFamilies: ["IPv4"] }));
});

function put(path: string, { metadata, ...rest }: Stored<{ metadata: object }>): void {
  const { resourceVersion: _, ...kept } = metadata;
  server.put(path, { ...rest, metadata: kept } as FakeObject);
}
const putPod = (name: string, ready: boolean): void =>
  put("/api/v1/pods", pod(name, { ready, ip: `10.244.0.${name}`, node: "n" }));
const ready = (): unknown =>
  server
    .objects(slicesPath)
    .flatMap((slice) => (slice as unknown as discovery.EndpointSlice).endpoints ?? [])
    .map(({ conditions }) => conditions?.ready);
const events = (): unknown => server.objects("/api/v1/events").map(({ message }) => message);

test("a slice is not written again before the cache has the last write", async () => {
  put("/api/v1/nodes", { metadata: { name: "n", uid: "n", resourceVersion: "", creationTimestamp: "" } });
  putPod("1", false);
  let blindUntilMs = 0;
  server.hook = ({ method, path, query, body }) => {
    const isBlind = performance.now() < blindUntilMs;
    if (isBlind && query.get("watch") === "true" && path === slicesPath) return "drop";
    if (method !== "PUT" || !path.includes("/endpointslices/") || blindUntilMs > 0) return undefined;
    blindUntilMs = performance.now() + 1500;
    server.endWatches();
    const { metadata, ...rest } = JSON.parse(body) as FakeObject;
    const written = server.put(slicesPath, { ...rest, metadata: { ...metadata, generation: 2 } });
    putPod("2", true);
    return { status: 200, body: written };
  };
  startControllers(server, [endpointSliceController]);
  await vi.waitFor(() => expect(ready()).toEqual([false]), patience);
  putPod("1", true);
  await vi.waitFor(() => expect(ready()).toEqual([true, true]), patience);
  expect(events()).toEqual([]);
});

test("an error of a write is an event that names the slice", async () => {
  put("/api/v1/nodes", { metadata: { name: "n", uid: "n", resourceVersion: "", creationTimestamp: "" } });
  putPod("1", true);
  let refused = 0;
  server.hook = ({ method, path }) => {
    if (method !== "POST" || !path.endsWith("/endpointslices") || refused++ > 0) return undefined;
    const message = "exceeded quota";
    return { status: 403, body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, message } };
  };
  startControllers(server, [endpointSliceController]);
  await vi.waitFor(() => expect(ready()).toEqual([true]), patience);
  await vi.waitFor(
    () =>
      expect(events()).toEqual([
        "Error updating Endpoint Slices for Service ns/web: failed to create EndpointSlice for Service ns/web: exceeded quota",
      ]),
    patience,
  );
});
