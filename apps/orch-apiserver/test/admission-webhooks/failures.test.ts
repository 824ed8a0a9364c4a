import {
  startApiServer,
  startWebhookServer,
  type TestApiServer,
  type WebhookBehaviour,
  type WebhookServer,
} from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Json } from "../support.ts";
import { deciding, denied, Hooks, patch, requestOf, rule } from "./hooks.ts";

let api: TestApiServer;
let hooks: Hooks;
let hook: WebhookServer;
let other: WebhookServer;
const allowing = deciding(() => ({}));
beforeAll(async () => {
  api = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  hooks = await Hooks.on(api);
  [hook, other] = await Promise.all([
    startWebhookServer({ behaviour: allowing }),
    startWebhookServer({ behaviour: allowing }),
  ]);
}, 60_000);
afterAll(async () => {
  await Promise.all([hook.stop(), other.stop(), hooks.stop()]);
  await api.stop();
});
beforeEach(() => hook.behave(allowing));
afterEach(() => hooks.clear());

let count = 0;
const configMap = (data: object = { a: "b" }) => ({ metadata: { name: `c${++count}` }, data });
const maps = "/api/v1/namespaces/default/configmaps";
const create = (body: object = configMap()) => call(api, "POST", maps, { body });
const rules = [rule("*", "", "configmaps")];
const raw = (body: (request: Json) => unknown): WebhookBehaviour => ({
  type: "answer",
  body: (received) => body(requestOf(received)),
});
const review = { kind: "AdmissionReview", apiVersion: "admission.o8s.io/v1" };
const answering = (response: (request: Json) => object) =>
  raw((request) => ({ ...review, response: { uid: request.uid, ...response(request) } }));

describe("a webhook without a usable answer", () => {
  const failures: readonly (readonly [string, WebhookBehaviour, string])[] = [
    ["silent", { type: "silent" }, "context deadline exceeded"],
    ["dripping", { type: "drip", everyMs: 20 }, "context deadline exceeded"],
    ["hanging up", { type: "hangUp" }, "socket hang up"],
    ["enormous", { type: "enormous", bytes: 50_000_000 }, "the answer is longer than"],
    [
      "failing",
      { type: "answer", status: 500, body: () => "busy", headers: { "content-type": "text/plain" } },
      'failed to call webhook: an error on the server ("busy") has prevented the request from succeeding',
    ],
    ["failing in JSON", { type: "answer", status: 503, body: () => ({}) }, "currently unable to handle the request"],
    [
      "failing with a Status",
      {
        type: "answer",
        status: 507,
        body: () => ({ kind: "Status", apiVersion: "v1", status: "Failure", message: "full" }),
      },
      "failed to call webhook: full",
    ],
    [
      "failing without saying so",
      raw(() => ({ kind: "Status", status: "Failure", message: "no" })),
      "call webhook: no",
    ],
    [
      "redirecting",
      { type: "answer", status: 307, body: () => "", headers: { location: "/ok" } },
      "after 10 redirects",
    ],
    [
      "redirecting elsewhere",
      { type: "answer", status: 307, body: () => "", headers: { location: "http://127.0.0.1/" } },
      "found a redirect to http://127.0.0.1; accepted is one to https://127.0.0.1:",
    ],
    [
      "busy for longer than its time",
      { type: "answer", status: 429, body: () => "", headers: { "retry-after": "30" } },
      "context deadline exceeded",
    ],
    ["not of JSON", { type: "answer", body: () => "<html>" }, "instead of JSON"],
    ["a list", raw(() => []), "failed to call webhook"],
    ["without a response", raw(() => review), "webhook response was absent"],
    [
      "about another request",
      raw(() => ({ ...review, response: { uid: "x", allowed: true } })),
      "expected response.uid=",
    ],
    [
      "of another kind",
      raw(({ uid }) => ({ response: { uid, allowed: true } })),
      "expected webhook response of admission.o8s.io/v1",
    ],
    [
      "of another version",
      raw(({ uid }) => ({ ...review, apiVersion: "admission.o8s.io/v1beta1", response: { uid, allowed: true } })),
      "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
    ],
    ["no review", raw(() => ({ kind: "Pod", apiVersion: "v1" })), 'no kind "Pod" is registered for version "v1"'],
    ["of other types", answering(() => ({ allowed: "yes" })), "failed to call webhook"],
    ["with a patch of no type", answering(() => ({ allowed: true, patch: "W10=" })), "not response.patchType"],
    ["with a type of no patch", answering(() => ({ allowed: true, patchType: "JSONPatch" })), "not response.patch"],
    [
      "with a patch of another type",
      answering(() => ({ allowed: true, ...patch({ op: "x" }), patchType: "Merge" })),
      "unsupported patch type",
    ],
  ];
  test.each(failures)(
    "%s: the policy Fail rejects the request, Ignore passes over the webhook",
    async (_, behaviour, message) => {
      const timeoutSeconds = message.includes("deadline") ? 1 : 10;
      const ignoring = { rules: [rule("CREATE", "", "secrets")], timeoutSeconds, failurePolicy: "Ignore" };
      await hooks.configure("mutating", [hook, { rules, timeoutSeconds, failurePolicy: "Fail" }], [hook, ignoring]);
      hook.behave(behaviour);
      const body = { metadata: { generateName: "s" } };
      const passing = call(api, "POST", "/api/v1/namespaces/default/secrets", { body });
      const { status, json } = await create();
      expect([status, json.reason]).toEqual([500, "InternalError"]);
      expect(json.message).toMatch(/^Internal error occurred: failed calling webhook "w0\.example\.com": /);
      expect(json.message).toContain(message);
      expect((await passing).status).toBe(201);
    },
  );

  test("dead, or with a certificate of another authority: the same", async () => {
    const dead = await startWebhookServer({ behaviour: allowing });
    await dead.stop();
    const clientConfig = { url: hook.url, caBundle: Buffer.from(other.caPem).toString("base64") };
    for (const failurePolicy of ["Fail", "Ignore"]) {
      const fields = { rules: [rule("CREATE", "", "secrets")], failurePolicy };
      for (const more of [{}, { clientConfig }]) {
        await hooks.configure("validating", [dead, { ...fields, ...more }]);
        const body = { metadata: { generateName: "s" } };
        const { status, json } = await call(api, "POST", "/api/v1/namespaces/default/secrets", { body });
        if (failurePolicy === "Ignore") expect(status).toBe(201);
        else expect([status, json.message]).toEqual([500, expect.stringMatching(/ECONNREFUSED|certificate/)]);
        await hooks.clear();
      }
    }
  });

  test("whose certificate has a common name only is not trusted, and counted", async () => {
    const nameless = await startWebhookServer({ behaviour: allowing, hosts: [], commonName: "localhost" });
    const clientConfig = {
      url: `https://localhost:${nameless.port}/`,
      caBundle: Buffer.from(nameless.caPem).toString("base64"),
    };
    await hooks.configure("validating", [nameless, { rules, clientConfig }]);
    expect((await create()).json.message).toBe(
      `Internal error occurred: failed calling webhook "w0.example.com": failed to call webhook: Post "https://localhost:${nameless.port}/?timeout=5s": tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead`,
    );
    const { text } = await call(api, "GET", "/metrics");
    expect(text).toContain("\napiserver_webhooks_x509_missing_san_total 1\n");
    expect(text).toContain("\napiserver_webhooks_x509_insecure_sha1_total 0\n");
    await nameless.stop();
  });

  test("costs requests that concern others nothing", async () => {
    hook.behave({ type: "silent" });
    const silent = { rules: [rule("CREATE", "", "secrets")], timeoutSeconds: 2 };
    await hooks.configure("validating", [hook, silent], [other, { rules }]);
    const body = { metadata: { generateName: "s" } };
    let answered = 0;
    const waiting = Array.from({ length: 70 }, async () => {
      const { status } = await call(api, "POST", "/api/v1/namespaces/default/secrets", { body });
      answered++;
      return status;
    });
    for (let i = 0; i < 5; i++) expect((await create()).status).toBe(201);
    expect(answered).toBe(0);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([500]));
  });
});

describe("a patch", () => {
  const cases: readonly (readonly [string, readonly unknown[], number, string])[] = [
    ["that makes the object invalid", [{ op: "add", path: "/data/not a key", value: "x" }], 422, "a valid config key"],
    ["of a value of another type", [{ op: "add", path: "/data", value: 7 }], 500, "Internal error occurred"],
    ["that does not apply", [{ op: "remove", path: "/data/none" }], 500, "Internal error occurred"],
    ["without a path", [{ op: "add", value: 7 }], 500, "Internal error occurred"],
    ["to another kind", [{ op: "replace", path: "/kind", value: "Secret" }], 500, "is not a ConfigMap of v1"],
    ["to nothing", [{ op: "replace", path: "", value: null }], 500, "Internal error occurred"],
    [
      "into another namespace",
      [{ op: "replace", path: "/metadata/namespace", value: "orch-system" }],
      400,
      "does not match the namespace sent",
    ],
    [
      "with nonsense in managedFields",
      [{ op: "replace", path: "/metadata/managedFields/0/operation", value: "Own" }],
      201,
      "",
    ],
    ["of fields that do not exist", [{ op: "add", path: "/nothing", value: 1 }], 201, ""],
    [
      "of many copies",
      [
        { op: "add", path: "/data/x", value: "x".repeat(1 << 20) },
        ..."abcdef".split("").map((to) => ({ op: "copy", from: "/data/x", path: `/data/${to}` })),
      ],
      500,
      "exceeding the limit",
    ],
  ];
  test.each(cases)("%s: %#", async (_, operations, status, message) => {
    await hooks.configure("mutating", [hook, { rules }]);
    hook.behave(deciding(() => patch(...operations)));
    const answer = await create();
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
    if (status !== 201) return;
    expect(answer.json.metadata?.managedFields?.[0]?.operation).toBe("Update");
    expect(answer.json.nothing).toBeUndefined();
  });

  test("changes the name of what is created, but not of what is there", async () => {
    await hooks.configure("mutating", [hook, { rules }]);
    hook.behave(deciding(() => patch({ op: "replace", path: "/metadata/name", value: "renamed" })));
    expect((await create()).json.metadata?.name).toBe("renamed");
    hook.behave(allowing);
    const there = configMap();
    await create(there);
    hook.behave(deciding(() => patch({ op: "replace", path: "/metadata/name", value: "moved" })));
    const { status, json } = await call(api, "PUT", `${maps}/${there.metadata.name}`, { body: there });
    expect([status, json.message]).toEqual([422, expect.stringContaining("metadata.name")]);
    expect((await call(api, "GET", `${maps}/moved`)).status).toBe(404);
  });

  test("of a deletion, or of a validating webhook, is an error", async () => {
    const there = configMap();
    await create(there);
    const path = `${maps}/${there.metadata.name}`;
    await hooks.configure("mutating", [hook, { rules: [rule("DELETE", "", "configmaps")] }]);
    hook.behave(deciding(() => patch({ op: "add", path: "/data/x", value: "y" })));
    expect((await call(api, "DELETE", path)).json.message).toContain("attempted to modify the object");
    await hooks.clear();
    hook.behave(allowing);
    await hooks.configure("validating", [hook, { rules }]);
    hook.behave(deciding(() => patch({ op: "add", path: "/data/x", value: "y" })));
    expect((await call(api, "DELETE", path)).json.message).toContain(
      "validating webhook may not return response.patch",
    );
  });
});

test("denials with codes of no error become errors", async () => {
  await hooks.configure("validating", [hook, { rules }]);
  for (const [code, want] of [
    [200, 400],
    [-1, 400],
    [404, 404],
    [999, 500],
  ]) {
    hook.behave(deciding(() => denied("no", { code })));
    expect((await create()).status).toBe(want);
  }
});

test("calls are counted", async () => {
  hook.behave({ type: "hangUp" });
  await hooks.configure(
    "validating",
    [hook, { name: "open.example.com", rules, failurePolicy: "Ignore" }],
    [hook, { name: "closed.example.com", rules }],
  );
  await create();
  const { text } = await call(api, "GET", "/metrics");
  const lines = text.split("\n").filter((line) => /(?:open|closed)\.example/.test(line) && !line.includes("_seconds"));
  expect(lines.sort()).toEqual([
    'apiserver_admission_webhook_fail_open_count{name="open.example.com",type="validating"} 1',
    'apiserver_admission_webhook_rejection_count{name="closed.example.com",type="validating",operation="CREATE",error_type="calling_webhook_error",rejection_code="400"} 1',
    'apiserver_admission_webhook_request_total{name="closed.example.com",type="validating",operation="CREATE",code="400",rejected="true"} 1',
    'apiserver_admission_webhook_request_total{name="open.example.com",type="validating",operation="CREATE",code="400",rejected="false"} 1',
  ]);
  expect(text).toContain('apiserver_admission_webhook_admission_duration_seconds_count{name="open.example.com"');
});
