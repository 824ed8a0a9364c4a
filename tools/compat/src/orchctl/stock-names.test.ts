import { startApiServer, type TestApiServer, type TranslatingProxy } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startStockNamesProxy } from "./stock-names.ts";

let server: TestApiServer;
let proxy: TranslatingProxy;
beforeAll(async () => {
  server = await startApiServer({ store: "embedded", authorizationMode: "RBAC" });
  proxy = await startStockNamesProxy(server.url, server.token);
}, 120_000);
afterAll(async () => {
  proxy?.close();
  await server?.stop();
});

const call = async (method: string, path: string, body?: unknown, accept = "application/json") => {
  const response = await fetch(`${proxy.url}${path}`, {
    method,
    headers: { accept, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.json() };
};
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles";
const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules: [] };

test("a stock client receives its objects under its own names", async () => {
  expect(await call("POST", roles, role)).toMatchObject({
    status: 201,
    body: { apiVersion: role.apiVersion, metadata: { namespace: "kube-system" } },
  });
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  expect(await call("GET", `${roles}/r`, undefined, table)).toMatchObject({ body: { apiVersion: "meta.k8s.io/v1" } });
});

test("a body is passed on with any method", async () => {
  const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "another" } };
  expect(await call("DELETE", `${roles}/r`, options)).toMatchObject({ status: 409 });
  expect(await call("DELETE", `${roles}/r`, {})).toMatchObject({ status: 200 });
});

test("events of a watch are passed on as they arrive", async () => {
  const stop = new AbortController();
  const path = "/api/v1/namespaces/kube-system/configmaps?watch=1";
  const response = await fetch(`${proxy.url}${path}`, { signal: stop.signal });
  const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await call("POST", "/api/v1/namespaces/kube-system/configmaps", { metadata: { name: "seen" } });
  const first = await events?.read();
  expect(first?.value).toMatch(/^\{"type":"(ADDED|MODIFIED)".*"namespace":"kube-system"/);
  stop.abort();
});
