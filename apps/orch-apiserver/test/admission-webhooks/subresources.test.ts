import { startApiServer, startWebhookServer, type TestApiServer, type WebhookServer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Json } from "../support.ts";
import { deciding, denied, Hooks, patch, requestOf, rule } from "./hooks.ts";

let api: TestApiServer;
let hooks: Hooks;
let hook: WebhookServer;
const allowing = deciding(() => ({}));
beforeAll(async () => {
  api = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  hooks = await Hooks.on(api);
  hook = await startWebhookServer({ behaviour: allowing });
  for (const name of ["p", "q"]) await send("POST", "/api/v1/namespaces/default/pods", pod(name));
  await send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment);
  await send("POST", "/api/v1/nodes", { metadata: { name: "n" } });
  const ports = [{ port: 80 }];
  await send("POST", "/api/v1/namespaces/default/services", { metadata: { name: "s" }, spec: { ports } });
}, 60_000);
afterAll(async () => {
  await Promise.all([hook.stop(), hooks.stop()]);
  await api.stop();
});
beforeEach(() => hook.behave(allowing));
afterEach(() => hooks.clear());

const containers = [{ name: "c", image: "i" }];
const pod = (name: string) => ({ metadata: { name }, spec: { containers } });
const labels = { a: "b" };
const template = { metadata: { labels }, spec: { containers } };
const deployment = { metadata: { name: "d" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
const merge = { "content-type": "application/merge-patch+json" };

async function send(method: string, path: string, body?: object): Promise<Json> {
  const answer = await call(api, method, path, { body, ...(method === "PATCH" && { headers: merge }) });
  if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json;
}

/** What the webhook is asked about a request. */
async function asked(method: string, path: string, body?: object): Promise<Json> {
  const before = hook.requests.length;
  await call(api, method, path, { body, ...(method === "PATCH" && { headers: merge }) });
  const received = hook.requests.slice(before);
  if (received.length !== 1 || received[0] === undefined) throw new Error(`${path}: asked ${received.length} times`);
  return requestOf(received[0]);
}

describe("a webhook of a subresource", () => {
  test("sees and changes the scale of an object, and not the object", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/d";
    await hooks.configure("mutating", [hook, { rules: [rule("UPDATE", "apps", "deployments/scale")] }]);
    hook.behave(deciding(() => patch({ op: "replace", path: "/spec/replicas", value: 7 })));
    const before = hook.requests.length;
    expect((await send("PATCH", `${path}/scale`, { spec: { replicas: 5 } })).spec).toEqual({ replicas: 7 });
    expect((await send("GET", path)).spec?.replicas).toBe(7);
    expect(hook.requests.length).toBe(before + 1);
    expect(requestOf(hook.requests[before] ?? never())).toMatchObject({
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      resource: { group: "apps", version: "v1", resource: "deployments" },
      subResource: "scale",
      requestKind: { group: "autoscaling", version: "v1", kind: "Scale" },
      requestSubResource: "scale",
      name: "d",
      namespace: "default",
      operation: "UPDATE",
      object: { kind: "Scale", apiVersion: "autoscaling/v1", metadata: { name: "d" }, spec: { replicas: 5 } },
      oldObject: { kind: "Scale", spec: { replicas: 2 } },
      options: { kind: "UpdateOptions" },
    });
  });

  test("sees updates of the status as such; rules without a subresource do not mean them", async () => {
    const path = "/apis/apps/v1/namespaces/default/deployments/d";
    await hooks.configure("validating", [hook, { rules: [rule("UPDATE", "apps", "deployments/status")] }]);
    expect(await asked("PATCH", `${path}/status`, { status: { observedGeneration: 1 } })).toMatchObject({
      kind: { group: "apps", version: "v1", kind: "Deployment" },
      subResource: "status",
      object: { status: { observedGeneration: 1 } },
    });
    await hooks.clear();
    await hooks.configure("validating", [hook, { rules: [rule("UPDATE", "apps", "deployments")] }]);
    const before = hook.requests.length;
    await send("PATCH", `${path}/status`, { status: { observedGeneration: 2 } });
    expect(hook.requests.length).toBe(before);
  });

  test("denies evictions and bindings by what they ask for", async () => {
    const path = "/api/v1/namespaces/default/pods/p";
    const rules = [rule("CREATE", "", "pods/eviction"), rule("CREATE", "", "pods/binding")];
    await hooks.configure("validating", [hook, { rules }]);
    hook.behave(deciding(() => denied("not here", { code: 409 })));
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
    expect(await asked("POST", `${path}/eviction`, eviction)).toMatchObject({
      kind: { group: "policy", version: "v1", kind: "Eviction" },
      resource: { group: "", version: "v1", resource: "pods" },
      subResource: "eviction",
      operation: "CREATE",
      name: "p",
      object: { kind: "Eviction", apiVersion: "policy/v1" },
      oldObject: null,
      options: { kind: "CreateOptions" },
    });
    const target = { kind: "Node", name: "n" };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target };
    expect(await asked("POST", `${path}/binding`, binding)).toMatchObject({
      kind: { group: "", version: "v1", kind: "Binding" },
      subResource: "binding",
      name: "p",
      object: { kind: "Binding", target: { name: "n" } },
    });
    const { spec, metadata } = await send("GET", path);
    expect([spec?.nodeName, metadata?.deletionTimestamp]).toEqual([undefined, undefined]);
    hook.behave(allowing);
    await send("POST", `${path}/binding`, binding);
    expect((await send("GET", path)).spec?.nodeName).toBe("n");
  });

  const connections: readonly (readonly [string, string, object, string])[] = [
    [
      "pods/exec",
      "pods/p/exec?command=ls&command=-l&stdout=true",
      { stdout: true, command: ["ls", "-l"] },
      "PodExecOptions",
    ],
    ["pods/attach", "pods/p/attach?container=c&stdin=1", { stdin: true, container: "c" }, "PodAttachOptions"],
    ["pods/portforward", "pods/p/portforward?ports=80", { ports: [80] }, "PodPortForwardOptions"],
    ["pods/proxy", "pods/p/proxy/a/b", { path: "/a/b" }, "PodProxyOptions"],
    ["services/proxy", "services/s/proxy/x", { path: "/x" }, "ServiceProxyOptions"],
  ];
  test.each(connections)("denies connections: %s", async (resource, path, object, kind) => {
    await hooks.configure("validating", [hook, { rules: [rule("CONNECT", "", resource)], objectSelector: {} }]);
    hook.behave(deciding(() => denied("closed", { code: 403, reason: "Forbidden" })));
    const [name, subResource] = resource.split("/");
    const request = await asked("POST", `/api/v1/namespaces/default/${path}`);
    expect(request).toMatchObject({
      kind: { group: "", version: "v1", kind },
      resource: { group: "", version: "v1", resource: name },
      subResource,
      name: path.split("/")[1],
      namespace: "default",
      operation: "CONNECT",
      oldObject: null,
      dryRun: false,
      options: null,
    });
    expect(request.object).toEqual({ kind, apiVersion: "v1", ...object });
    const { status, json } = await call(api, "POST", `/api/v1/namespaces/default/${path}`);
    expect([status, json.message]).toEqual([403, 'admission webhook "w0.example.com" denied the request: closed']);
  });

  test("is not asked about connections as a trial, which are none", async () => {
    await hooks.configure("validating", [hook, { rules: [rule("CONNECT", "", "pods/*")], objectSelector: {} }]);
    const before = hook.requests.length;
    for (const path of ["exec?command=ls&dryRun=All", "proxy/a?dryRun=All"]) {
      const { status, json } = await call(api, "POST", `/api/v1/namespaces/default/pods/p/${path}`);
      expect([status, json.message]).toEqual([400, "dryRun is not supported"]);
    }
    expect(hook.requests.length).toBe(before);
  });

  test("denies upgrades, and connections to nodes", async () => {
    const rules = [rule("CONNECT", "", "pods/exec"), rule("CONNECT", "", "nodes/proxy")];
    await hooks.configure("validating", [hook, { rules, objectSelector: {} }]);
    hook.behave(deciding(() => denied("closed", { code: 403 })));
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1" };
    const path = "/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true";
    expect((await call(api, "POST", path, { headers })).status).toBe(403);
    expect(await asked("GET", "/api/v1/nodes/n/proxy/metrics")).toMatchObject({
      kind: { kind: "NodeProxyOptions" },
      name: "n",
      object: { path: "/metrics" },
    });
  });
});

describe("a rule", () => {
  const created = async (path: string, body: object) => {
    const before = hook.requests.length;
    await send("POST", `${path}?dryRun=All`, { metadata: { name: "x" }, ...body });
    return hook.requests.length - before;
  };

  test("of a scope means objects with or without a namespace; namespaces have none", async () => {
    const all = { ...rule("*", "*", "*"), operations: ["CREATE"] };
    const counts = async (scope: string) => {
      await hooks.configure("validating", [hook, { rules: [{ ...all, scope }] }]);
      const found = [
        await created("/api/v1/namespaces/default/configmaps", {}),
        await created("/api/v1/namespaces", {}),
        await created("/apis/rbac.authorization.o8s.io/v1/clusterroles", {}),
      ];
      await hooks.clear();
      return found;
    };
    expect(await counts("Namespaced")).toEqual([1, 0, 0]);
    expect(await counts("Cluster")).toEqual([0, 1, 1]);
    expect(await counts("*")).toEqual([1, 1, 1]);
  });

  test("of one version means subresources in the others, too, if it says Equivalent", async () => {
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
    await send("POST", path, { metadata: { name: "h" }, spec: { maxReplicas: 3, scaleTargetRef } });
    const rules = [rule("UPDATE", "autoscaling", "horizontalpodautoscalers/status", "v1")];
    const status = { currentReplicas: 1, desiredReplicas: 2, currentMetrics: null, conditions: [] };
    await hooks.configure("mutating", [hook, { rules }]);
    hook.behave(deciding(() => patch({ op: "replace", path: "/status/desiredReplicas", value: 3 })));
    const request = await asked("PATCH", `${path}/h/status`, { status });
    expect(request).toMatchObject({
      kind: { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" },
      resource: { group: "autoscaling", version: "v1" },
      subResource: "status",
      requestKind: { group: "autoscaling", version: "v2" },
      requestSubResource: "status",
      object: { apiVersion: "autoscaling/v1", status: { desiredReplicas: 2 } },
    });
    expect((await send("GET", `${path}/h`)).status?.desiredReplicas).toBe(3);
    await hooks.clear();
    await hooks.configure("mutating", [hook, { rules, matchPolicy: "Exact" }]);
    const before = hook.requests.length;
    await send("PATCH", `${path}/h/status`, { status: { desiredReplicas: 1 } });
    expect(hook.requests.length).toBe(before);
  });
});

function never(): never {
  throw new Error("the webhook was not called");
}
