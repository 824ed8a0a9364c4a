import { once } from "node:events";
import { connect } from "node:net";
import { internalError } from "@orchernetes/apimachinery";
import { afterEach, expect, test } from "vitest";
import type { AuditedRequest, AuditRecorder, RequestAudit } from "../src/index.ts";
import { startServer, type TestServer } from "./harness.ts";

let server: TestServer | undefined;
afterEach(() => server?.stop());

/** A recorder that writes down the calls. */
function recorder(overrides: Partial<RequestAudit> = {}, holdsAnswers = true) {
  const calls: string[] = [];
  const requests: AuditedRequest[] = [];
  const kindOf = (object: object) => (object as { kind?: string }).kind ?? "";
  const audit: AuditRecorder = {
    holdsAnswers,
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

test("a request waits for its first record, and its response for the last one", async () => {
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

test("a request that cannot be recorded is rejected before it has an effect", async () => {
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

test("a response that is sent in pieces ends after its record, and is complete", async () => {
  const held = Promise.withResolvers<void>();
  let recording: Promise<void> | undefined;
  const { audit, calls } = recorder({
    completed: (code) => {
      calls.push(`completed ${code}`);
      return recording;
    },
  });
  server = await startServer({ audit });
  for (const name of ["t", "u"]) await server.call("POST", toys, { ...toy, metadata: { name } });
  recording = held.promise;
  calls.length = 0;
  let answered = false;
  const lists = [toys, `${toys}?pretty=1`, "/version"].map((path) => server?.call("GET", path));
  const all = Promise.all(lists).finally(() => {
    answered = true;
  });
  await expect.poll(() => calls.filter((call) => call === "completed 200")).toHaveLength(3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(answered).toBe(false);
  held.resolve();
  const [list, pretty, version] = await all;
  expect([list?.body.items.length, pretty?.body.items.length]).toEqual([2, 2]);
  expect(version?.body.gitVersion).toBe("v1.27.0");
});

test("a request whose record takes too long gets a timely response, and has no effect", async () => {
  const never = new Promise<void>(() => undefined);
  const { audit } = recorder({ received: () => never, completed: () => never });
  server = await startServer({ audit, limits: { requestTimeoutMs: 100 } });
  expect((await server.call("POST", toys, toy)).status).toBe(504);
});

test("a table is recorded as the table that the client gets", async () => {
  const { audit, calls } = recorder({
    responseObject: (value, json) => {
      const { kind, rows } =
        json === undefined ? (value as { kind?: string; rows?: unknown[] }) : JSON.parse(String(json));
      calls.push(`response ${kind} ${rows?.length}`);
    },
  });
  server = await startServer({ audit });
  await server.call("POST", toys, toy);
  calls.length = 0;
  for (const path of [toys, `${toys}/t`])
    await server.call("GET", path, undefined, { accept: "application/json;as=Table;v=v1;g=meta.o8s.io" });
  expect(calls.filter((call) => call.startsWith("response"))).toEqual(["response Table 1", "response Table 1"]);
});

test("a rejected upgrade is recorded with its own status from the start", async () => {
  const { audit, calls } = recorder();
  server = await startServer({ audit });
  const { port } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => undefined).resume();
  const handshake = "connection: Upgrade\r\nupgrade: echo\r\nauthorization: Bearer admin\r\n";
  socket.write(`POST ${toys}/t HTTP/1.1\r\nhost: x\r\n${handshake}\r\n`);
  await once(socket, "close");
  expect(calls).toEqual(["begin admin", "received", "response Status", "completed 405"]);
});
