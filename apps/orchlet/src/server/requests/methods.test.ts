import type { HttpRequest } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { nodeAttributes } from "./access.ts";
import { requireMethod } from "./methods.ts";

test.each([
  ["GET", "/run/ns/p/c"],
  ["HEAD", "/run/ns/p/uid/c"],
  ["GET", "/%72un/ns/p/c"],
  ["PUT", "/run/ns/p/c"],
  ["PUT", "/exec/ns/p/c"],
  ["DELETE", "/attach/ns/p/c"],
  ["OPTIONS", "/portForward/ns/p"],
  ["POST", "/containerLogs/ns/p/c"],
  ["DELETE", "/pods"],
])("%s %s is not allowed", (method, path) => {
  expect(() => requireMethod({ method }, path)).toThrow(expect.objectContaining({ status: 405 }));
});

test.each([
  ["POST", "/run/ns/p/c"],
  ["GET", "/exec/ns/p/c"],
  ["POST", "/exec/ns/p/c"],
  ["GET", "/attach/ns/p/c"],
  ["POST", "/portForward/ns/p"],
  ["GET", "/containerLogs/ns/p/c"],
  ["HEAD", "/pods"],
  ["GET", "/metrics"],
  ["GET", "/constructor"],
])("%s %s is allowed", (method, path) => {
  expect(() => requireMethod({ method }, path)).not.toThrow();
});

test.each([
  ["GET", "/pods", "get", "proxy"],
  ["GET", "/stats/summary", "get", "stats"],
  ["GET", "/metrics/resource", "get", "metrics"],
  ["GET", "/containerLogs/ns/p/c", "get", "proxy"],
  ["POST", "/run/ns/p/c", "create", "proxy"],
  // Whoever may only read must not get into pods by a WebSocket, which begins with GET.
  ["GET", "/exec/ns/p/c", "create", "proxy"],
  ["GET", "/attach/ns/p/c", "create", "proxy"],
  ["GET", "/portForward/ns/p", "create", "proxy"],
  ["GET", "/run/ns/p/c", "create", "proxy"],
  ["GET", "/%65xec/ns/p/c", "create", "proxy"],
  ["GET", "/%61ttach/ns/p/c", "create", "proxy"],
  ["GET", "/port%46orward/ns/p", "create", "proxy"],
  ["POST", "/stats%2f../run/ns/p/c", "create", "proxy"],
  ["GET", "/%", "get", "proxy"],
  ["GET", "/executions", "get", "proxy"],
])("%s %s is %s of nodes/%s", (method, url, verb, subresource) => {
  const request = { method, url, headers: {} } as unknown as HttpRequest;
  const attributes = nodeAttributes(request, { name: "u", groups: [], extra: {} }, "n");
  expect(attributes).toMatchObject({ verb, subresource, resource: "nodes", name: "n" });
});
