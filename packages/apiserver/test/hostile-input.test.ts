import { afterAll, beforeAll, expect, test } from "vitest";
import { parseRequestInfo } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const toys = "/apis/toys.example.com/v1/namespaces/a/toys";

test.each([
  ["GET", `${toys}/x/__proto__`, 404],
  ["PUT", `${toys}/x/constructor`, 404],
  ["DELETE", `${toys}/x/toString`, 404],
  ["POST", `${toys}/x/hasOwnProperty`, 404],
])("%s %s is answered with %i", async (method, path, code) => {
  const { status, body } = await server.call(method, path, method === "GET" ? undefined : {});
  expect(status).toBe(code);
  expect(body).toMatchObject({ kind: "Status", code });
});

test.each(["constructor", "toString", "__proto__", "valueOf"])("the method %s is not a verb", (method) => {
  expect(parseRequestInfo(method, toys).verb).toBe("");
});

test.each([
  ["a name with a slash", "a", "x%2Fy", "x/y"],
  ["a name with a NUL", "a", "x%00y", "x\u0000y"],
  ["a namespace with a slash", "a%2Fb", "x", "a/b"],
  ["a namespace with a NUL", "a%00b", "x", "a\u0000b"],
])("%s is rejected, and quoted in the message", (_, namespace, name, quoted) => {
  const url = `/apis/toys.example.com/v1/namespaces/${namespace}/toys/${name}`;
  expect(() => parseRequestInfo("GET", url)).toThrow(`the name ${JSON.stringify(quoted)} in the path`);
});

test("HEAD of a watch ends", async () => {
  const { status, text } = await server.call("HEAD", `${toys}?watch=true`);
  expect([status, text]).toEqual([200, ""]);
  expect(parseRequestInfo("HEAD", `${toys}?watch=true`).verb).toBe("list");
  expect(parseRequestInfo("GET", `${toys}?watch=true`).verb).toBe("watch");
});
