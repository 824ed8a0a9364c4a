import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer();
});
afterAll(() => server.stop());

const path = "/apis/authorization.o8s.io/v1/selfsubjectaccessreviews";
const body = { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } };

test.each(["meta.o8s.io", "meta.k8s.io"])("a review is no table of %s", async (group) => {
  const accept = `application/json;as=Table;v=v1;g=${group}`;
  const { status, json } = await call(server, "POST", path, { body, headers: { accept } });
  expect([status, json.reason]).toEqual([406, "NotAcceptable"]);
});

test("a review is itself where the client takes that, too", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.o8s.io,application/json";
  const { status, json } = await call(server, "POST", path, { body, headers: { accept } });
  expect([status, json.kind, json.status?.allowed]).toEqual([201, "SelfSubjectAccessReview", true]);
});

test("component statuses are a table", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.o8s.io";
  const { json } = await call(server, "GET", "/api/v1/componentstatuses", { headers: { accept } });
  expect(json.kind).toBe("Table");
});
