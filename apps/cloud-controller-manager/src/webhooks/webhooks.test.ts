import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudWebhook } from "@orchernetes/cloud-provider";
import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { freePort } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveWebhooks } from "./serve-webhooks.ts";
import { webhookHandler } from "./webhook-handler.ts";

const stop = new AbortController();
const metrics = createMetrics();
let dir = "";
let port = 0;

const webhook = (path: string, admit: CloudWebhook["admit"]): CloudWebhook => ({ path, admit });
const webhooks = {
  names: webhook("/names", async ({ name = "" }, { cloud }) =>
    name === "bad" ? { allowed: false, status: { message: `not in ${cloud?.name}` } } : { allowed: true },
  ),
  broken: webhook("/broken", () => Promise.reject(new Error("boom"))),
  mute: webhook("/mute", async () => undefined as never),
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "webhooks-"));
  port = await freePort();
  await serveWebhooks({
    flags: {
      "webhook-bind-address": "127.0.0.1",
      "webhook-secure-port": port,
      "webhook-cert-dir": dir,
      "webhook-tls-cert-file": "",
      "webhook-tls-private-key-file": "",
    },
    webhooks,
    cloud: () => ({ name: "fake" }),
    metrics,
    logger: silentLogger,
    signal: stop.signal,
  });
});
afterAll(() => {
  stop.abort();
  rmSync(dir, { recursive: true });
});

const review = (name: string) =>
  JSON.stringify({ apiVersion: "admission.o8s.io/v1", kind: "AdmissionReview", request: { uid: "u", name } });

/** Sends a body to a path; trusts the pair in the folder. */
async function post(path: string, body: string, type = "application/json"): Promise<{ code: number; text: string }> {
  const ca = readFileSync(join(dir, "cloud-controller-manager-webhook.crt"));
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "localhost", port, path, method: "POST", ca, agent: false, headers: { "content-type": type } },
      async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ code: response.statusCode ?? 0, text });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

test("a review is answered by the webhook of its path, which sees the cloud", async () => {
  const head = { apiVersion: "admission.o8s.io/v1", kind: "AdmissionReview" };
  const good = await post("/names", review("good"));
  expect([good.code, JSON.parse(good.text)]).toEqual([200, { ...head, response: { allowed: true, uid: "u" } }]);
  const bad = await post("/names", review("bad"));
  expect(JSON.parse(bad.text)).toEqual({
    ...head,
    response: { allowed: false, status: { message: "not in fake" }, uid: "u" },
  });
  expect(metrics.render()).toContain('cloud_provider_webhook_request_total{code="200",webhook="names"} 2');
});

test.each<[string, string, string, string, number, string]>([
  ["another type", "/names", review("a"), "text/plain", 400, 'Content-Type: "text/plain" should be "application/json"'],
  ["no body", "/names", "", "application/json", 400, "admission request HTTP body is empty"],
  ["no JSON", "/names", "{", "application/json", 400, "could not deserialize incoming admission review"],
  ["null", "/names", "null", "application/json", 400, "could not deserialize incoming admission review"],
  ["another kind", "/names", "{}", "application/json", 400, "want AdmissionReview of admission.o8s.io/v1"],
  [
    "no request",
    "/names",
    review("a").replace("request", "response"),
    "application/json",
    400,
    "admission review can't be used: Request field is nil",
  ],
  ["too much", "/names", " ".repeat(9 * 1024 * 1024), "application/json", 413, "larger than"],
  ["an unknown path", "/none", review("a"), "application/json", 404, "404 page not found"],
  [
    "an error of the webhook",
    "/broken",
    review("a"),
    "application/json",
    500,
    "error generating admission response: boom",
  ],
  ["no answer of the webhook", "/mute", review("a"), "application/json", 500, "admission response cannot be nil"],
])("%s is refused", async (_, path, body, type, code, message) => {
  const answer = await post(path, body, type);
  expect(answer.code).toBe(code);
  expect(answer.text).toContain(message);
});

test("a webhook that hangs is given up", async () => {
  const clock = new FakeClock();
  const started = Promise.withResolvers<AbortSignal>();
  const handler = webhookHandler({
    webhooks: {
      slow: webhook("/slow", (_, { signal }) => {
        started.resolve(signal);
        return new Promise(() => undefined);
      }),
    },
    cloud: () => undefined,
    metrics: () => undefined,
    logger: silentLogger,
    clock,
  });
  const { EventEmitter } = await import("node:events");
  const incoming = Object.assign(new EventEmitter(), {
    method: "POST",
    url: "/slow",
    headers: { "content-type": "application/json" },
  });
  let code = 0;
  const outgoing = {
    headersSent: false,
    writeHead(status: number) {
      code = status;
    },
    end: () => undefined,
  };
  const done = handler(incoming as never, outgoing as never);
  incoming.emit("data", Buffer.from(review("a")));
  incoming.emit("end");
  const signal = await started.promise;
  clock.advance(30_000);
  await done;
  expect([code, signal.aborted]).toEqual([500, true]);
});
