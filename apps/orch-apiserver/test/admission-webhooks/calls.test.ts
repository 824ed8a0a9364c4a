import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { poll, startApiServer, startWebhookServer, type TestApiServer, type WebhookServer } from "@orchernetes/testkit";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call } from "../support.ts";
import { deciding, Hooks, patch, type requestOf, rule } from "./hooks.ts";

const folder = mkdtempSync(join(tmpdir(), "webhook-credentials-"));
const auditLog = join(folder, "audit.log");
const group = "stable.example.com";
const resources = `/apis/${group}/v1/namespaces/default/crs`;
const maps = "/api/v1/namespaces/default/configmaps";
let api: TestApiServer;
let hooks: Hooks;
let hook: WebhookServer;
const allowing = deciding(() => ({}));

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Credentials by the names of webhooks: a token, a password, a certificate. */
async function writeCredentials(port: number, clientCa: Parameters<typeof issueClientCertificate>[0]): Promise<string> {
  const { certPem, keyPem } = await issueClientCertificate(clientCa, { commonName: "orch-apiserver" });
  writeFileSync(join(folder, "token"), "from-a-file");
  const certificate = { "client-certificate-data": base64(certPem), "client-key-data": base64(keyPem) };
  const users = [
    { name: `127.0.0.1:${port}`, user: { tokenFile: "token" } },
    { name: `localhost:${port}`, user: { username: "me", password: "secret" } },
    { name: `*.hooked.svc:${port}`, user: certificate },
    { name: "*", user: { token: "for-all-others" } },
  ];
  const orchConfigFile = join(folder, "users.json");
  writeFileSync(orchConfigFile, JSON.stringify({ apiVersion: "v1", kind: "Config", users }));
  const configuration = {
    apiVersion: "apiserver.config.o8s.io/v1",
    kind: "WebhookAdmissionConfiguration",
    orchConfigFile,
  };
  const plugins = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"].map((name) => ({ name, configuration }));
  const file = join(folder, "admission.json");
  const head = { apiVersion: "apiserver.config.o8s.io/v1", kind: "AdmissionConfiguration" };
  writeFileSync(file, JSON.stringify({ ...head, plugins }));
  return file;
}

const nested = { type: "object", properties: { size: { type: "integer", default: 3 } } };
const spec = { type: "object", properties: { name: { type: "string" }, nested, other: nested } };
const openAPIV3Schema = { type: "object", properties: { spec } };
const definition = {
  metadata: { name: `crs.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "crs", kind: "Cr" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
  },
};

beforeAll(async () => {
  const clientCa = await createCertificateAuthority({ commonName: "clients" });
  const hosts = ["127.0.0.1", "localhost", "hook.hooked.svc", "elsewhere.other.svc"];
  hook = await startWebhookServer({ behaviour: allowing, hosts, clientCaPem: clientCa.certPem });
  const file = await writeCredentials(hook.port, clientCa);
  const policy = join(folder, "policy.json");
  const rules = [
    { level: "Metadata", omitStages: ["RequestReceived"], resources: [{ group: "", resources: ["configmaps"] }] },
  ];
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.o8s.io/v1", kind: "Policy", rules }));
  api = await startApiServer({
    flags: [
      "--disable-admission-plugins=ServiceAccount",
      `--admission-control-config-file=${file}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${auditLog}`,
    ],
  });
  hooks = await Hooks.on(api);
  await call(api, "POST", "/apis/apiextensions.o8s.io/v1/customresourcedefinitions", { body: definition });
  const isServed = async () => (await call(api, "GET", resources)).status === 200;
  await poll({ what: "custom resources", timeoutMs: 20_000, intervalMs: 20 }, isServed);
}, 60_000);
afterAll(async () => {
  await Promise.all([hook.stop(), hooks.stop()]);
  await api.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => hook.behave(allowing));
afterEach(() => hooks.clear());

describe("custom resources", () => {
  test("get their defaults between mutations, and lose what their schema does not have", async () => {
    const seen: unknown[] = [];
    hook.behave(
      deciding(({ object }) => {
        seen.push(object?.spec);
        if (seen.length > 1) return {};
        return patch(
          { op: "add", path: "/spec/other", value: {} },
          { op: "add", path: "/spec/unknown", value: 1 },
          { op: "add", path: "/metadata/labels", value: { a: "b" } },
        );
      }),
    );
    const rules = [rule("CREATE", group, "crs")];
    await hooks.configure("mutating", [hook, { rules }], [hook, { rules }]);
    const body = { apiVersion: `${group}/v1`, kind: "Cr", metadata: { name: "x" }, spec: { nested: {}, none: 1 } };
    const { status, json } = await call(api, "POST", resources, { body });
    const filled = { nested: { size: 3 }, other: { size: 3 } };
    expect([status, json.spec, json.metadata?.labels]).toEqual([201, filled, { a: "b" }]);
    expect(seen).toEqual([{ nested: { size: 3 } }, filled]);
    expect((await call(api, "GET", `${resources}/x`)).json.spec).toEqual(filled);
  });

  test("are validated after all mutations", async () => {
    hook.behave(deciding(() => patch({ op: "add", path: "/spec/name", value: 7 })));
    await hooks.configure("mutating", [hook, { rules: [rule("CREATE", group, "crs")] }]);
    const body = { apiVersion: `${group}/v1`, kind: "Cr", metadata: { name: "y" }, spec: {} };
    const { status, json } = await call(api, "POST", resources, { body });
    expect([status, json.message]).toEqual([422, expect.stringContaining("spec.name")]);
  });
});

describe("the server shows itself", () => {
  const called = async (clientConfig: object) => {
    const given = { clientConfig: { ...clientConfig, caBundle: base64(hook.caPem) } };
    await hooks.configure("validating", [hook, { rules: [rule("CREATE", "", "secrets")], ...given }]);
    const body = { metadata: { name: "s" } };
    const { status, text } = await call(api, "POST", "/api/v1/namespaces/default/secrets?dryRun=All", { body });
    expect([status, text]).toEqual([201, expect.anything()]);
    const { headers, clientName } = hook.requests.at(-1) ?? never();
    return { authorization: headers.authorization, clientName };
  };
  const service = async (namespace: string, name: string) => {
    await call(api, "POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
    const body = { metadata: { name }, spec: { type: "ExternalName", externalName: "localhost" } };
    const path = `/api/v1/namespaces/${namespace}/services`;
    await call(api, "POST", path, { body: { ...body, spec: { ...body.spec, ports: [{ port: hook.port }] } } });
    return { service: { namespace, name, port: hook.port } };
  };

  test("by a token, a password or a certificate, as the file says for the host or the service", async () => {
    expect(await called({ url: `https://127.0.0.1:${hook.port}/` })).toEqual({
      authorization: "Bearer from-a-file",
      clientName: undefined,
    });
    expect(await called({ url: `https://localhost:${hook.port}/` })).toEqual({
      authorization: `Basic ${base64("me:secret")}`,
      clientName: undefined,
    });
    expect(await called(await service("hooked", "hook"))).toEqual({
      authorization: undefined,
      clientName: "orch-apiserver",
    });
    expect(await called(await service("other", "elsewhere"))).toEqual({
      authorization: "Bearer for-all-others",
      clientName: undefined,
    });
  });
});

describe("several webhooks", () => {
  const slowly = {
    type: "answer" as const,
    body: async (received: Parameters<typeof requestOf>[0]) => {
      await sleep(300);
      return allowing.body(received);
    },
  };
  const three = () => Array.from({ length: 3 }, () => [hook, { rules: [rule("CREATE", "", "configmaps")] }] as const);
  const timeOfCreate = async () => {
    const startMs = Date.now();
    const { status } = await call(api, "POST", `${maps}?dryRun=All`, { body: { metadata: { name: "slow" } } });
    expect(status).toBe(201);
    return Date.now() - startMs;
  };

  test("are asked one after the other if they may change the object, all at once otherwise", async () => {
    await hooks.configure("mutating", ...three());
    hook.behave(slowly);
    expect(await timeOfCreate()).toBeGreaterThanOrEqual(900);
    hook.behave(allowing);
    await hooks.clear();
    await hooks.configure("validating", ...three());
    hook.behave(slowly);
    expect(await timeOfCreate()).toBeLessThan(900);
  });

  test("take time that is no part of the objective of a request, and is an annotation of its audit", async () => {
    const sumOf = async (name: string) => {
      const { text } = await call(api, "GET", "/metrics");
      const all = text
        .split("\n")
        .filter((line) => line.startsWith(`${name}_sum{`) && line.includes('resource="configmaps"'));
      expect(all.length).toBeGreaterThan(0);
      return all.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    };
    const names = ["apiserver_request_duration_seconds", "apiserver_request_sli_duration_seconds"] as const;
    await hooks.configure("mutating", ...three());
    await hooks.configure("validating", ...three());
    const [total = 0, objective = 0] = await Promise.all(names.map(sumOf));
    hook.behave(slowly);
    const body = { metadata: { name: "timed" } };
    await call(api, "POST", maps, { body });
    const [totalAfter = 0, objectiveAfter = 0] = await Promise.all(names.map(sumOf));
    expect(totalAfter - total).toBeGreaterThanOrEqual(1.2);
    expect(objectiveAfter - objective).toBeLessThan(1);
    const [event] = readFileSync(auditLog, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ objectRef }) => objectRef.name === "timed");
    const latency = (what: string) => String(event.annotations[`apiserver.latency.o8s.io/${what}`]);
    expect(latency("mutating-webhook")).toMatch(/^(?:9\d\d(?:\.\d+)?ms|1\.\d+s)$/);
    expect(latency("validating-webhook")).toMatch(/^[3-8]\d\d(?:\.\d+)?ms$/);
  });
});

function never(): never {
  throw new Error("the webhook was not called");
}
