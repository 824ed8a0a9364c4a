import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  // What the server itself rests on is switched off as well: it must start and work nevertheless.
  const off = ["batch/v1", "apps/v1/daemonsets", "flowcontrol.apiserver.o8s.io/v1beta3", "scheduling.o8s.io/v1"];
  const switches = [...off.map((key) => `${key}=false`), "authentication.o8s.io/v1beta1=true"];
  server = await startApiServer({
    store: "embedded",
    authorizationMode: "RBAC",
    flags: [`--runtime-config=${switches.join(",")}`, "--runtime-config=rbac.authorization.o8s.io/v1=false"],
  });
}, 30_000);
afterAll(() => server.stop());

test.each([
  ["/apis/batch", 404],
  ["/apis/batch/v1/jobs", 404],
  ["/apis/apps/v1/daemonsets", 404],
  ["/apis/apps/v1/deployments", 200],
  ["/apis/flowcontrol.apiserver.o8s.io/v1beta3/flowschemas", 404],
  ["/apis/flowcontrol.apiserver.o8s.io/v1beta2/flowschemas", 200],
  ["/apis/scheduling.o8s.io/v1/priorityclasses", 404],
  ["/apis/authentication.o8s.io/v1beta1", 200],
  ["/apis/rbac.authorization.o8s.io/v1/clusterroles", 404],
  ["/readyz", 200],
])("GET %s answers %i", async (path, status) => {
  expect((await call(server, "GET", path)).status).toBe(status);
});

test("discovery and OpenAPI name what is served, and nothing else", async () => {
  const { json: apis } = await call(server, "GET", "/apis");
  const groups = (apis.groups as unknown as readonly { name: string }[]).map(({ name }) => name);
  expect(groups.slice(0, 4)).toEqual(["apiregistration.o8s.io", "apps", "events.o8s.io", "authentication.o8s.io"]);
  expect(groups).not.toContain("batch");
  const { json: apps } = await call(server, "GET", "/apis/apps/v1");
  expect(JSON.stringify(apps)).not.toContain("daemonsets");
  const { json: openapi } = await call(server, "GET", "/openapi/v3");
  const paths = Object.keys(openapi.paths as object);
  expect(paths).toContain("apis/authentication.o8s.io/v1beta1");
  expect(paths).not.toContain("apis/batch/v1");
});

test("the server uses stored objects of what is off: a pod gets its priority from a system class", async () => {
  const account = await call(server, "POST", "/api/v1/namespaces/orch-system/serviceaccounts", {
    body: { metadata: { name: "default" } },
  });
  expect([201, 409]).toContain(account.status);
  const { json, status } = await call(server, "POST", "/api/v1/namespaces/orch-system/pods", {
    body: {
      metadata: { name: "p" },
      spec: { priorityClassName: "system-node-critical", containers: [{ name: "c", image: "localhost/pause:1" }] },
    },
  });
  expect([status, (json.spec as { priority?: number } | undefined)?.priority]).toEqual([201, 2000001000]);
});

test("who am I, in a version that is off by default", async () => {
  const path = "/apis/authentication.o8s.io/v1beta1/selfsubjectreviews";
  const { status, json } = await call(server, "POST", path, {
    body: { apiVersion: "authentication.o8s.io/v1beta1", kind: "SelfSubjectReview" },
  });
  expect(status).toBe(201);
  expect(JSON.stringify(json.status)).toContain("system:masters");
});
