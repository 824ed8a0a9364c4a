import type { FakeApiServer } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { resourceClaimController } from "./controller.ts";

const group = "/apis/resource.o8s.io/v1alpha2";
const claimsPath = `${group}/resourceclaims`;
const podsPath = "/api/v1/pods";
const patience = { timeout: 8000 };
let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
});

const start = (): void => {
  startControllers(server, [resourceClaimController], { "resource-claim-controller": { isEnabled: true } });
};
const putPod = (status: object = {}): string =>
  server.put(podsPath, {
    metadata: { name: "p", namespace: "ns" },
    spec: {
      nodeName: "n",
      containers: [],
      resourceClaims: [{ name: "gpu", source: { resourceClaimTemplateName: "t" } }],
    },
    status,
  }).metadata.uid ?? "";
const putTemplate = (): unknown =>
  server.put(`${group}/resourceclaimtemplates`, {
    metadata: { name: "t", namespace: "ns" },
    spec: { metadata: {}, spec: { resourceClassName: "c" } },
  });
const claims = () => server.objects(claimsPath).map(({ metadata }) => metadata.name);
const reserve = (uid: string, name = "p"): void => {
  const [claim] = server.objects(claimsPath);
  if (claim === undefined) throw new Error("not created");
  server.put(claimsPath, { ...claim, status: { reservedFor: [{ resource: "pods", name, uid }] } });
};
const users = () => (server.objects(claimsPath)[0]?.status as { reservedFor?: unknown[] } | undefined)?.reservedFor;

test("a claim is made when its template is there, and again when it is deleted", async () => {
  putPod();
  start();
  await vi.waitFor(
    () => expect(server.objects("/api/v1/events")).toMatchObject([{ reason: "FailedResourceClaimCreation" }]),
    patience,
  );
  putTemplate();
  await vi.waitFor(() => expect(claims()).toEqual(["p-gpu"]), patience);
  server.remove(claimsPath, "ns/p-gpu");
  await vi.waitFor(() => expect(claims()).toEqual(["p-gpu"]), patience);
});

test("a claim loses its user when the pod ends, and when it is deleted", async () => {
  putTemplate();
  const uid = putPod();
  start();
  await vi.waitFor(() => expect(claims()).toEqual(["p-gpu"]), patience);
  reserve(uid);
  putPod({ phase: "Failed" });
  await vi.waitFor(() => expect(users()).toEqual([]), patience);
  putPod();
  reserve(uid);
  server.remove(podsPath, "ns/p");
  await vi.waitFor(() => expect(users()).toEqual([]), patience);
});

test("the server is asked about a pod that the cache does not have", async () => {
  putTemplate();
  const uid = putPod();
  start();
  await vi.waitFor(() => expect(claims()).toEqual(["p-gpu"]), patience);
  // The cache never hears of it.
  server.hook = ({ method, path }) =>
    method === "GET" && path.endsWith("/pods/new")
      ? { status: 200, body: { metadata: { name: "new", uid: "uid-new" }, spec: { containers: [] }, status: {} } }
      : undefined;
  const [claim] = server.objects(claimsPath);
  const reservedFor = ["new", "gone"].map((name) => ({ resource: "pods", name, uid: `uid-${name}` }));
  server.put(claimsPath, {
    metadata: { name: "p-gpu" },
    ...claim,
    status: { reservedFor: [...reservedFor, { resource: "pods", name: "p", uid }] },
  });
  await vi.waitFor(() => expect(users()).toMatchObject([{ name: "new" }, { name: "p" }]), patience);
});
