import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer, startWebhookServer, type TestApiServer, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Json } from "../support.ts";
import { deciding, denied, Hooks, patch, registration, requestOf, rule } from "./hooks.ts";

const policyFile = join(tmpdir(), `webhooks-policy-${process.pid}.json`);
const logFile = join(tmpdir(), `webhooks-audit-${process.pid}.log`);
let api: TestApiServer;
let hooks: Hooks;
let one: WebhookServer;
let two: WebhookServer;
beforeAll(async () => {
  const resources = [{ group: "", resources: ["configmaps"] }];
  const rules = [
    { level: "Request", namespaces: ["audited"], resources },
    { level: "Metadata", resources },
  ];
  writeFileSync(policyFile, JSON.stringify({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules }));
  api = await startApiServer({
    flags: [
      "--feature-gates=AdmissionWebhookMatchConditions=true",
      "--disable-admission-plugins=ServiceAccount",
      `--audit-policy-file=${policyFile}`,
      `--audit-log-path=${logFile}`,
    ],
  });
  hooks = await Hooks.on(api);
  const behaviour = deciding(() => ({}));
  [one, two] = await Promise.all([
    startWebhookServer({ behaviour }),
    startWebhookServer({ behaviour, hosts: ["127.0.0.1", "hook.hooked.svc"] }),
  ]);
  for (const name of ["hooked", "audited"])
    await call(api, "POST", "/api/v1/namespaces", { body: { metadata: { name, labels: { name } } } });
  await call(api, "POST", "/api/v1/namespaces", { body: { metadata: { name: "skipped", labels: { skip: "yes" } } } });
}, 60_000);
afterAll(async () => {
  await Promise.all([one.stop(), two.stop(), hooks.stop()]);
  await api.stop();
  for (const file of [policyFile, logFile]) rmSync(file, { force: true });
});
beforeEach(() => {
  for (const server of [one, two]) server.behave(deciding(() => ({})));
});
afterEach(() => hooks.clear());

let count = 0;
const configMap = (data: object = {}, more: object = {}) => ({ metadata: { name: `c${++count}`, ...more }, data });
const maps = (namespace = "hooked") => `/api/v1/namespaces/${namespace}/configmaps`;
const create = (body: object, namespace?: string) => call(api, "POST", maps(namespace), { body });
const mapRules = [rule("*", "", "configmaps")];
const merge = { "content-type": "application/merge-patch+json" };

describe("mutating webhooks", () => {
  test("are called in the order of their configurations' names, each with what the last one made of the object", async () => {
    one.behave(deciding(() => patch({ op: "add", path: "/data/first", value: "1" })));
    two.behave(
      deciding(({ object }) => patch({ op: "add", path: "/data/second", value: String(object?.data?.first) })),
    );
    await hooks.configure("mutating", [one, { rules: mapRules }]);
    await hooks.configure("mutating", [two, { rules: mapRules, clientConfig: clientOf(two, "127.0.0.1") }]);
    const { json, status } = await create(configMap({ start: "x" }));
    expect([status, json.data]).toEqual([201, { start: "x", first: "1", second: "1" }]);
  });

  test("see the request as it is", async () => {
    await hooks.configure("mutating", [one, { rules: mapRules }]);
    const body = configMap({ a: "b" });
    await call(api, "POST", `${maps()}?fieldManager=me&dryRun=All`, { body });
    const received = one.requests.at(-1);
    expect([received?.path, received?.headers["user-agent"]]).toEqual(["/hook?timeout=5s", "orch-apiserver-admission"]);
    expect(received?.body).toMatchObject({
      kind: "AdmissionReview",
      apiVersion: "admission.o8s.io/v1",
      request: {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        name: body.metadata.name,
        namespace: "hooked",
        operation: "CREATE",
        userInfo: { username: "admin", uid: "admin-uid", groups: expect.arrayContaining(["system:masters"]) },
        object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: body.metadata.name }, data: { a: "b" } },
        oldObject: null,
        dryRun: true,
        options: { kind: "CreateOptions", apiVersion: "meta.o8s.io/v1", fieldManager: "me", dryRun: ["All"] },
      },
    });
  });

  test("see options of the operation, whatever the verb; objects of a collection that is deleted have no name", async () => {
    await hooks.configure("mutating", [one, { rules: mapRules }]);
    const apply = { "content-type": "application/apply-patch+yaml" };
    const there = configMap({ a: "b" });
    const applied = { ...configMap({ a: "b" }), apiVersion: "v1", kind: "ConfigMap" };
    const path = (named: typeof there) => `${maps("collected")}/${named.metadata.name}`;
    await call(api, "POST", "/api/v1/namespaces", { body: { metadata: { name: "collected" } } });
    one.behave(deciding(() => ({})));
    const before = one.requests.length;
    await create(there, "collected");
    await call(api, "PUT", `${path(there)}?fieldManager=me`, { body: there });
    await call(api, "PATCH", `${path(there)}?fieldManager=me`, { body: { data: { a: "c" } }, headers: merge });
    await call(api, "PATCH", `${path(applied)}?fieldManager=me`, { body: applied, headers: apply });
    await call(api, "PATCH", `${path(applied)}?fieldManager=me&force=true`, { body: applied, headers: apply });
    await call(api, "DELETE", path(there));
    await call(
      api,
      "DELETE",
      `${maps("collected")}?labelSelector=!none&fieldSelector=metadata.name=${applied.metadata.name}`,
    );
    const seen = one.requests.slice(before).map((received) => requestOf(received));
    expect(seen.map(({ operation, name, options }) => [operation, name, options])).toEqual([
      ["CREATE", there.metadata.name, { kind: "CreateOptions", apiVersion: "meta.o8s.io/v1" }],
      ["UPDATE", there.metadata.name, { kind: "UpdateOptions", apiVersion: "meta.o8s.io/v1", fieldManager: "me" }],
      ["UPDATE", there.metadata.name, { kind: "UpdateOptions", apiVersion: "meta.o8s.io/v1", fieldManager: "me" }],
      ["CREATE", applied.metadata.name, { kind: "CreateOptions", apiVersion: "meta.o8s.io/v1", fieldManager: "me" }],
      ["UPDATE", applied.metadata.name, { kind: "UpdateOptions", apiVersion: "meta.o8s.io/v1", fieldManager: "me" }],
      ["DELETE", there.metadata.name, { kind: "DeleteOptions", apiVersion: "meta.o8s.io/v1" }],
      ["DELETE", undefined, { kind: "DeleteOptions", apiVersion: "meta.o8s.io/v1" }],
    ]);
    expect(seen.at(-1)).toMatchObject({
      namespace: "collected",
      object: null,
      oldObject: { metadata: { name: applied.metadata.name } },
    });
    const classes = await call(api, "DELETE", "/apis/scheduling.o8s.io/v1/priorityclasses");
    expect([classes.status, classes.json.message]).toEqual([403, expect.stringContaining("cannot be deleted")]);
  });

  test("are told what is left of the time of the request", async () => {
    await hooks.configure("mutating", [one, { rules: mapRules, timeoutSeconds: 30 }]);
    const body = configMap();
    for (const [query, told] of [
      ["", "30s"],
      ["?timeout=4s", "4s"],
      ["?timeout=2500ms", "3s"],
      ["?timeout=50s", "30s"],
    ]) {
      await call(api, "POST", `${maps()}${query}${query === "" ? "?" : "&"}dryRun=All`, { body });
      expect(one.requests.at(-1)?.path).toBe(`/hook?timeout=${told}`);
    }
    one.behave({ type: "silent" });
    const startMs = Date.now();
    const late = await call(api, "POST", `${maps()}?timeout=500ms`, { body });
    expect([late.status, late.json.reason]).toEqual([504, "Timeout"]);
    expect(Date.now() - startMs).toBeLessThan(3000);
    expect((await call(api, "GET", `${maps()}/${body.metadata.name}`)).status).toBe(404);
  });

  test("are called again if they want it and the object was changed after their call; plugins, too", async () => {
    const seen: string[] = [];
    const noting = (name: string, answer: object) =>
      deciding(({ object }) => {
        seen.push(`${name} ${object?.data?.late}`);
        return answer;
      });
    one.behave(noting("one", {}));
    two.behave(noting("two", patch({ op: "add", path: "/data/late", value: "1" })));
    const target = { rules: mapRules, clientConfig: clientOf(two, "127.0.0.1") };
    await hooks.configure(
      "mutating",
      [one, { rules: mapRules, reinvocationPolicy: "IfNeeded" }],
      [one, { rules: mapRules }],
      [two, target],
    );
    await create(configMap({ a: "b" }));
    expect(seen).toEqual(["one undefined", "one undefined", "two undefined", "one 1"]);
  });

  test("may add to a pod, which gets the defaults and what plugins set of what was added", async () => {
    const value = [{ name: "added", image: "i" }];
    one.behave(deciding(() => patch({ op: "add", path: "/spec/initContainers", value })));
    await hooks.configure("mutating", [one, { rules: [rule("CREATE", "", "pods")] }]);
    const limits = [{ type: "Container", default: { cpu: "100m" } }];
    await call(api, "POST", "/api/v1/namespaces/hooked/limitranges", {
      body: { metadata: { name: "l" }, spec: { limits } },
    });
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const { json } = await call(api, "POST", "/api/v1/namespaces/hooked/pods", { body });
    expect(json.spec?.initContainers?.[0]).toMatchObject({
      name: "added",
      terminationMessagePolicy: "File",
      imagePullPolicy: "Always",
      resources: { limits: { cpu: "100m" } },
    });
    await call(api, "DELETE", "/api/v1/namespaces/hooked/limitranges/l");
  });

  test("annotate the audit; patches only where objects are shown", async () => {
    one.behave(
      deciding(() => ({
        auditAnnotations: { why: "because", "not/valid": "x" },
        ...patch({ value: "1", op: "add", path: "/data/x" }),
      })),
    );
    two.behave({ type: "hangUp" });
    const other = { rules: mapRules, failurePolicy: "Ignore", clientConfig: clientOf(two, "127.0.0.1") };
    await hooks.configure("mutating", [one, { rules: mapRules }], [two, other]);
    const names = [configMap({ a: "b" }), configMap({ a: "b" })];
    await create(names[0] ?? {}, "audited");
    await create(names[1] ?? {}, "hooked");
    const events = readFileSync(logFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
    const [audited, plain] = names.map(({ metadata: { name } }) =>
      events.findLast(
        (event) => (event.objectRef?.name as unknown) === name && (event.stage as unknown) === "ResponseComplete",
      ),
    );
    const configuration = String(
      JSON.parse(String(plain?.annotations?.["mutation.webhook.admission.o8s.io/round_0_index_0"])).configuration,
    );
    const common = {
      "mutation.webhook.admission.o8s.io/round_0_index_0": JSON.stringify({
        configuration,
        webhook: "w0.example.com",
        mutated: true,
      }),
      "mutation.webhook.admission.o8s.io/round_0_index_1": JSON.stringify({
        configuration,
        webhook: "w1.example.com",
        mutated: false,
      }),
      "failed-open.mutation.webhook.admission.o8s.io/round_0_index_1": "w1.example.com",
      "w0.example.com/why": "because",
    };
    expect(plain?.annotations).toEqual({
      ...common,
      "authorization.o8s.io/decision": "allow",
      "authorization.o8s.io/reason": expect.anything(),
    });
    expect(audited?.annotations).toMatchObject({
      ...common,
      "patch.webhook.admission.o8s.io/round_0_index_0": JSON.stringify({
        configuration,
        webhook: "w0.example.com",
        patch: [{ op: "add", path: "/data/x", value: "1" }],
        patchType: "JSONPatch",
      }),
    });
  });

  test("see and patch the version that their rule names; the client gets its own", async () => {
    one.behave(deciding(() => patch({ op: "replace", path: "/spec/targetCPUUtilizationPercentage", value: 70 })));
    const rules = [rule("CREATE", "autoscaling", "horizontalpodautoscalers", "v1")];
    await hooks.configure("mutating", [one, { rules }]);
    const resource = { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } };
    const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
    const body = {
      metadata: { name: "h" },
      spec: { maxReplicas: 3, scaleTargetRef, metrics: [{ type: "Resource", resource }] },
    };
    const path = "/apis/autoscaling/v2/namespaces/hooked/horizontalpodautoscalers";
    const { json, status } = await call(api, "POST", path, { body });
    expect([status, json.apiVersion, json.spec?.metrics?.[0]?.resource?.target?.averageUtilization]).toEqual([
      201,
      "autoscaling/v2",
      70,
    ]);
    expect(requestOf(one.requests.at(-1) ?? never())).toMatchObject({
      kind: { group: "autoscaling", version: "v1" },
      requestKind: { group: "autoscaling", version: "v2" },
      object: { apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 50, minReplicas: 1 } },
    });
    await hooks.clear();
    await hooks.configure("mutating", [one, { rules, matchPolicy: "Exact" }]);
    const before = one.requests.length;
    await call(api, "POST", `${path}?dryRun=All`, { body: { ...body, metadata: { name: "h2" } } });
    expect(one.requests.length).toBe(before);
  });
});

describe("validating webhooks", () => {
  const deny = () =>
    one.behave(
      deciding(({ operation, object, oldObject }) =>
        (object?.data?.bad ?? oldObject?.data?.bad)
          ? denied(`${operation}: bad data`, { reason: "Bad", code: 402 })
          : {},
      ),
    );

  test("deny creates, updates, patches and deletions with their own words", async () => {
    const good = configMap({});
    const stuck = configMap({ bad: "1" });
    await create(good);
    await create(stuck);
    deny();
    await hooks.configure("validating", [one, { rules: mapRules }]);
    const message = (operation: string) =>
      `admission webhook "w0.example.com" denied the request: ${operation}: bad data`;
    const body = { data: { bad: "1" } };
    const answers = [
      await create(configMap(body.data)),
      await call(api, "PUT", `${maps()}/${good.metadata.name}`, { body: { ...good, ...body } }),
      await call(api, "PATCH", `${maps()}/${good.metadata.name}`, { body, headers: merge }),
      await call(api, "DELETE", `${maps()}/${stuck.metadata.name}`),
      await call(api, "DELETE", maps()),
    ];
    expect(answers.map(({ status, json }) => [status, json.message, json.reason])).toEqual([
      [402, message("CREATE"), "Bad"],
      [402, message("UPDATE"), "Bad"],
      [402, message("UPDATE"), "Bad"],
      [402, message("DELETE"), "Bad"],
      [402, message("DELETE"), "Bad"],
    ]);
    expect(requestOf(one.requests.at(-1) ?? never())).toMatchObject({
      operation: "DELETE",
      object: null,
      oldObject: { kind: "ConfigMap", apiVersion: "v1", data: { bad: "1" } },
      options: { kind: "DeleteOptions" },
    });
  });

  test("are asked all at once; a denial without a word has one of its own, warnings reach the client", async () => {
    one.behave(deciding(() => ({ warnings: ["careful"] })));
    two.behave(deciding(() => ({ allowed: false, warnings: ["no"] })));
    const other = { rules: mapRules, clientConfig: clientOf(two, "127.0.0.1") };
    await hooks.configure("validating", [one, { rules: mapRules }], [two, other]);
    const { status, json, headers } = await create(configMap());
    expect([status, json.message]).toEqual([
      400,
      'admission webhook "w1.example.com" denied the request without explanation',
    ]);
    expect(String(headers.warning).split(", ").sort()).toEqual(['299 - "careful"', '299 - "no"']);
  });

  test("pass over namespaces and objects that they do not select", async () => {
    deny();
    const namespaceSelector = { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] };
    const objectSelector = { matchLabels: { check: "me" } };
    await hooks.configure("validating", [one, { rules: mapRules, namespaceSelector, objectSelector }]);
    const labelled = () => configMap({ bad: "1" }, { labels: { check: "me" } });
    expect((await create(labelled(), "skipped")).status).toBe(201);
    expect((await create(configMap({ bad: "1" }))).status).toBe(201);
    expect((await create(labelled())).status).toBe(402);
  });

  test("are asked only if their match conditions hold", async () => {
    deny();
    const condition = (expression: string) => ({ rules: mapRules, matchConditions: [{ name: "c", expression }] });
    await hooks.configure("validating", [one, condition("!object.metadata.name.startsWith('skip')")]);
    const bad = configMap({ bad: "1" });
    expect((await create(bad)).status).toBe(402);
    expect((await create({ ...bad, metadata: { name: "skip-me" } })).status).toBe(201);
    await hooks.clear();
    await hooks.configure("validating", [one, condition("object.nothing == 1")]);
    const failed = await create(configMap());
    expect([failed.status, failed.json.message]).toEqual([403, expect.stringContaining("no such key: nothing")]);
  });

  test("see no configurations of webhooks, and cannot keep them from being deleted", async () => {
    one.behave(deciding(() => denied("never")));
    const rules = [{ ...rule("*", "*", "*"), operations: ["*"] }];
    const path = await hooks.configure("validating", [one, { rules, namespaceSelector: { matchLabels: { a: "b" } } }]);
    const before = one.requests.length;
    const body = { metadata: { name: "other" }, webhooks: [] };
    expect((await call(api, "POST", `${registration}/mutatingwebhookconfigurations`, { body })).status).toBe(201);
    expect((await call(api, "DELETE", `${registration}/mutatingwebhookconfigurations/other`)).status).toBe(200);
    // Other cluster-scoped objects are seen, whatever the selector of namespaces.
    const role = { metadata: { name: "r" }, rules: [] };
    expect((await call(api, "POST", "/apis/rbac.authorization.o8s.io/v1/clusterroles", { body: role })).status).toBe(
      400,
    );
    expect((await call(api, "DELETE", path)).status).toBe(200);
    expect(one.requests.length).toBe(before + 1);
  });

  test("are found by their service, whose name their certificate has; in v1beta1 if they speak no other version", async () => {
    const spec = { type: "ExternalName", externalName: "localhost", ports: [{ port: two.port }] };
    await call(api, "POST", "/api/v1/namespaces/hooked/services", { body: { metadata: { name: "hook" }, spec } });
    two.behave(deciding(() => denied("by service")));
    const clientConfig = clientOf(two);
    await hooks.configure("validating", [
      two,
      { rules: mapRules, clientConfig, admissionReviewVersions: ["v2", "v1beta1"] },
    ]);
    expect((await create(configMap())).json.message).toContain("by service");
    const [last] = two.requests.slice(-1);
    expect([last?.path, last?.headers.host, (last?.body as Json | undefined)?.apiVersion]).toEqual([
      "/hook?timeout=5s",
      `hook.hooked.svc:${two.port}`,
      "admission.o8s.io/v1beta1",
    ]);
    await call(api, "DELETE", "/api/v1/namespaces/hooked/services/hook");
    expect((await create(configMap())).json.message).toContain(
      `Post "https://hook.hooked.svc:${two.port}/hook?timeout=5s": service "hook" not found`,
    );
  });

  test("that change or go are followed", async () => {
    deny();
    const path = await hooks.configure("validating", [one, { rules: [rule("CREATE", "", "configmaps")] }]);
    const bad = () => create(configMap({ bad: "1" }));
    expect((await bad()).status).toBe(402);
    const body = [{ op: "replace", path: "/webhooks/0/rules/0/operations", value: ["UPDATE"] }];
    const headers = { "content-type": "application/json-patch+json" };
    await call(api, "PATCH", path, { body, headers });
    await expect.poll(async () => (await bad()).status).toBe(201);
    await call(api, "PATCH", path, { body: [{ ...body[0], value: ["CREATE"] }], headers });
    await expect.poll(async () => (await bad()).status).toBe(402);
    await call(api, "DELETE", path);
    await expect.poll(async () => (await bad()).status).toBe(201);
  });
});

/** A client configuration by URL of a host, or else by the service `hooked/hook`. */
function clientOf({ port, caPem }: WebhookServer, host?: string): object {
  const caBundle = Buffer.from(caPem).toString("base64");
  if (host === undefined) return { service: { namespace: "hooked", name: "hook", path: "/hook", port }, caBundle };
  return { url: `https://${host}:${port}/hook`, caBundle };
}

function never(): never {
  throw new Error("the webhook was not called");
}
