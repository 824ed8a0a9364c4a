import { internalError } from "@orchernetes/apimachinery";
import { afterEach, expect, test } from "vitest";
import type { AuditedRequest, AuditRecorder, RequestAudit } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer | undefined;
afterEach(() => server?.stop());

/** A recorder that writes down the calls. */
function recorder(overrides: Partial<RequestAudit> = {}) {
  const calls: string[] = [];
  const requests: AuditedRequest[] = [];
  const kindOf = (object: object) => (object as { kind?: string }).kind ?? "";
  const audit: AuditRecorder = {
    begin(request) {
      requests.push(request);
      calls.push(`begin ${request.user.name}`);
      return {
        wantsResponse: true,
        received: () => void calls.push("received"),
        requestObject: (object) => void calls.push(`request ${kindOf(object)}`),
        requestPatch: (document) => void calls.push(`patch ${JSON.stringify(document)}`),
        responseStarted: (code) => void calls.push(`started ${code}`),
        responseObject: (object) => void calls.push(`response ${kindOf(object)}`),
        panicked: () => void calls.push("panicked"),
        completed: (code) => void calls.push(`completed ${code}`),
        ...overrides,
      };
    },
    beginUnauthenticated: (request) => {
      requests.push(request);
      calls.push("unauthenticated");
      return undefined;
    },
  };
  return { calls, requests, audit };
}

const toys = "/apis/toys.example.com/v1/namespaces/a/toys";
const toy = { apiVersion: "toys.example.com/v1", kind: "Toy", metadata: { name: "t" }, spec: { color: "red" } };

test("a recorder sees the stages and the objects of a request, in order", async () => {
  const { audit, calls, requests } = recorder();
  server = await startServer({ audit });
  await server.call("POST", toys, toy);
  expect(calls.splice(0).slice(0, 5)).toEqual([
    "begin admin",
    "received",
    "request Toy",
    "response Toy",
    "completed 201",
  ]);
  await server.call("PATCH", `${toys}/t`, '{"spec":{}}', { "content-type": "application/merge-patch+json" });
  expect(calls.splice(0).slice(2, 5)).toEqual(['patch {"spec":{}}', "response Toy", "completed 200"]);
  await server.call("GET", `${toys}/none`);
  expect(calls.splice(0).slice(1, 4)).toEqual(["received", "response Status", "completed 404"]);
  await server.call("GET", toys, undefined, { authorization: "Bearer bob" });
  expect(calls.splice(0)[0]).toBe("begin bob");
  expect(requests.at(-1)).toMatchObject({ decision: "forbid" });
  await server.call("GET", toys, undefined, { authorization: "Bearer wrong" });
  expect(calls.splice(0)).toEqual(["unauthenticated"]);
});

test("the head of a watch is reported when it is written", async () => {
  const { audit, calls } = recorder();
  server = await startServer({ audit });
  await server.call("GET", `${toys}?watch=true&timeoutSeconds=1`);
  expect(calls.slice(1, 4)).toEqual(["received", "started 200", "completed 200"]);
});

test("a request waits for its first record, and its answer for the last one", async () => {
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const last = Promise.withResolvers<void>();
  const { audit, calls } = recorder({ received: () => first.promise, completed: () => last.promise });
  server = await startServer({ audit });
  const answer = server.call("POST", toys, toy).then(() => order.push("answered"));
  await expect.poll(() => calls.includes("begin admin")).toBe(true);
  expect(calls).not.toContain("request Toy");
  first.resolve();
  await expect.poll(() => calls.includes("response Toy")).toBe(true);
  order.push("recorded");
  last.resolve();
  await answer;
  expect(order).toEqual(["recorded", "answered"]);
});

test("a request that cannot be recorded is refused before it has an effect", async () => {
  let full = true;
  const { audit } = recorder({
    received: () => {
      if (full) throw internalError(new Error("failed to store audit event"));
    },
  });
  server = await startServer({ audit });
  expect((await server.call("POST", toys, toy)).status).toBe(500);
  full = false;
  expect((await server.call("GET", `${toys}/t`)).status).toBe(404);
});
