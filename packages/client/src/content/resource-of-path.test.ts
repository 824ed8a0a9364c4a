import { expect, test } from "vitest";
import { resourceOfPath } from "./resource-of-path.ts";

test.each([
  ["/api/v1/pods", "", "v1", "pods", ""],
  ["/api/v1/namespaces/a/pods", "", "v1", "pods", ""],
  ["/api/v1/namespaces/a/pods/p", "", "v1", "pods", ""],
  ["/api/v1/namespaces/a/pods/p/binding", "", "v1", "pods", "binding"],
  ["/api/v1/nodes/n/status", "", "v1", "nodes", "status"],
  ["/api/v1/namespaces", "", "v1", "namespaces", ""],
  ["/api/v1/namespaces/a", "", "v1", "namespaces", ""],
  ["/api/v1/namespaces/a/finalize", "", "v1", "namespaces", "finalize"],
  ["/api/v1/namespaces/a/status", "", "v1", "namespaces", "status"],
  ["/apis/apps/v1/namespaces/a/deployments/d/scale", "apps", "v1", "deployments", "scale"],
  ["/apis/storage.o8s.io/v1/csinodes/n", "storage.o8s.io", "v1", "csinodes", ""],
])("%s names a resource", (path, group, version, plural, subresource) => {
  expect(resourceOfPath(path)).toEqual({ group, version, plural, subresource });
});

test.each([
  "/",
  "",
  "/healthz",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/apis/apps/v1/",
  "/openapi/v2",
  "/api/v1/namespaces/a/services/s/proxy/healthz",
  "/api/v1/nodes/n/proxy/stats/summary",
  "/debug/api/v1/pods",
])("%s names none", (path) => {
  expect(resourceOfPath(path)).toBeUndefined();
});
