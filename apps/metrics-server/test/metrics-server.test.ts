import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { parseFlags } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import {
  freePort,
  poll,
  startApiServer,
  startWebhookServer,
  type TestApiServer,
  type WebhookServer,
} from "@orchernetes/testkit";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completeConfig } from "../src/config.ts";
import { metricsServerFlags } from "../src/flags/index.ts";
import { runServer } from "../src/server.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-metrics-"));
const within = { timeoutMs: 30_000, intervalMs: 50 };
const METRICS = "/apis/metrics.o8s.io/v1beta1";
const stop = new AbortController();
let ca: CertificateAuthority;
let api: TestApiServer;
let client: Client;
let agent: WebhookServer;
let port: number;
let running: Promise<void>;

/** Tests look into answers of many kinds. */
type Json = ReturnType<typeof JSON.parse>;

const write = (name: string, text: string): string => {
  const file = join(dir, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const writePair = (name: string, { certPem, keyPem }: CertificatePair) => ({
  cert: write(`${name}.crt`, certPem),
  key: write(`${name}.key`, keyPem),
});
const post = (path: string, body: object) => client.request({ method: "POST", path, body });
const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  client.request({ method: "GET", path, headers }) as Promise<Json>;

/** A page on which every container uses half a core, and the node two. */
function page(): string {
  const nowMs = Date.now();
  const seconds = nowMs / 1000;
  const container = (pod: string, name: string, namespace = "default") => {
    const labels = `{container="${name}",namespace="${namespace}",pod="${pod}"}`;
    return [
      `container_cpu_usage_seconds_total${labels} ${seconds / 2} ${nowMs}`,
      `container_memory_working_set_bytes${labels} 1048576 ${nowMs}`,
      `container_start_time_seconds${labels} 1`,
    ].join("\n");
  };
  return [
    `node_cpu_usage_seconds_total ${seconds * 2} ${nowMs}`,
    `node_memory_working_set_bytes 1073741824 ${nowMs}`,
    container("web", "main"),
    container("web", "side"),
    container("elsewhere", "main"),
    container("unknown", "main"),
    "",
  ].join("\n");
}

async function createPod(name: string, nodeName: string, containers: readonly string[]): Promise<void> {
  const pods = "/api/v1/namespaces/default/pods";
  const metadata = { name, labels: { app: name } };
  const spec = { nodeName, containers: containers.map((container) => ({ name: container, image: "x" })) };
  await post(pods, { metadata, spec });
  const status = { phase: "Running" };
  await client.request({
    method: "PATCH",
    path: `${pods}/${name}/status`,
    body: { status },
    contentType: "application/merge-patch+json",
  });
}

async function createNode(name: string, address: string, more: object = {}): Promise<void> {
  const status = { addresses: [{ type: "InternalIP", address }], ...more };
  await post("/api/v1/nodes", { metadata: { name, labels: { zone: name } } });
  await client.request({
    method: "PATCH",
    path: `/api/v1/nodes/${name}/status`,
    body: { status },
    contentType: "application/merge-patch+json",
  });
}

async function startMetricsServer(): Promise<void> {
  port = await freePort();
  const serving = writePair(
    "serving",
    await issueServerCertificate(ca, { commonName: "m", hosts: ["m.default.svc", "127.0.0.1"] }),
  );
  const program = { name: "metrics-server", description: "x", version: { text: "v", raw: "v" } };
  const parsed = parseFlags(program, metricsServerFlags, [
    `--orchconfig=${api.clientConfig}`,
    `--authentication-orchconfig=${api.clientConfig}`,
    `--authorization-orchconfig=${api.clientConfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${serving.cert}`,
    `--tls-private-key-file=${serving.key}`,
    `--orchlet-certificate-authority=${write("agent-ca.crt", agent.caPem)}`,
    "--orchlet-use-node-status-port",
  ]);
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  // Shorter than a user may have it.
  const quick = { "metric-resolution": 300, "orchlet-request-timeout": 250 };
  const config = await completeConfig({ ...parsed.flags, ...quick });
  const context = { logger: silentLogger, signal: stop.signal, explicit: parsed.explicit, flushLogs() {} };
  running = runServer(config, context);
}

async function registerMetrics(group: string): Promise<void> {
  const spec = {
    group,
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: "default", name: "m", port },
    caBundle: Buffer.from(ca.certPem).toString("base64"),
  };
  const path = "/apis/apiregistration.o8s.io/v1/apiservices";
  await post(path, { metadata: { name: `v1beta1.${group}` }, spec });
  await poll({ what: `the API ${group}`, ...within }, async () => {
    const { status } = await get(`${path}/v1beta1.${group}`);
    return status?.conditions?.[0]?.status === "True";
  });
}

beforeAll(async () => {
  ca = await createCertificateAuthority({ commonName: "ca" });
  const caFile = write("ca.crt", ca.certPem);
  const proxy = writePair("proxy", await issueClientCertificate(ca, { commonName: "front-proxy" }));
  agent = await startWebhookServer({ behaviour: { type: "answer", body: page } });
  api = await startApiServer({
    authorizationMode: "RBAC",
    flags: [
      `--client-ca-file=${caFile}`,
      `--proxy-client-cert-file=${proxy.cert}`,
      `--proxy-client-key-file=${proxy.key}`,
      `--requestheader-client-ca-file=${caFile}`,
      "--requestheader-allowed-names=front-proxy",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--disable-admission-plugins=ServiceAccount",
    ],
  });
  client = api.client();
  const endpoint = { daemonEndpoints: { orchletEndpoint: { Port: agent.port } } };
  await createNode("node-1", "127.0.0.1", endpoint);
  await createNode("node-2", "127.0.0.1", { daemonEndpoints: { orchletEndpoint: { Port: 1 } } });
  await createPod("web", "node-1", ["main", "side"]);
  await createPod("elsewhere", "node-2", ["main"]);
  const spec = { type: "ExternalName", externalName: "127.0.0.1" };
  await post("/api/v1/namespaces/default/services", { metadata: { name: "m" }, spec });
  await startMetricsServer();
  await registerMetrics("metrics.o8s.io");
  await registerMetrics("metrics.k8s.io");
  await poll({ what: "the usage of a pod", ...within }, async () => (await get(`${METRICS}/pods`)).items.length === 1);
});

afterAll(async () => {
  stop.abort();
  await running;
  await api?.stop();
  await agent?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe("through the API server", () => {
  test("nodes have their usage, the labels of the node and no more", async () => {
    const { items, ...list } = await get(`${METRICS}/nodes`);
    expect(list).toEqual({ kind: "NodeMetricsList", apiVersion: "metrics.o8s.io/v1beta1", metadata: {} });
    expect(items).toEqual([
      {
        metadata: { name: "node-1", creationTimestamp: expect.any(String), labels: { zone: "node-1" } },
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        window: expect.stringMatching(/^(\d+(\.\d+)?m?s)+$/),
        usage: { cpu: expect.stringMatching(/^\d+[num]?$/), memory: "1Gi" },
      },
    ]);
  });

  test("pods have the usage of their containers; a node reports its own pods alone", async () => {
    const { items } = await get(`${METRICS}/pods`);
    expect(items).toMatchObject([
      {
        metadata: { name: "web", namespace: "default", labels: { app: "web" } },
        containers: [
          { name: "main", usage: { memory: "1Mi" } },
          { name: "side", usage: { memory: "1Mi" } },
        ],
      },
    ]);
    const { cpu } = items[0].containers[0].usage;
    expect(Number(cpu.replace(/n$/, "e-9").replace(/u$/, "e-6").replace(/m$/, "e-3"))).toBeCloseTo(0.5, 1);
  });

  test("GET of one, with its kind", async () => {
    expect(await get(`${METRICS}/nodes/node-1`)).toMatchObject({ kind: "NodeMetrics", metadata: { name: "node-1" } });
    expect(await get(`${METRICS}/namespaces/default/pods/web`)).toMatchObject({ kind: "PodMetrics" });
  });

  test.each([
    ["nodes/x", 'node "x" not found'],
    ["nodes/node-2", 'nodemetrics.metrics.o8s.io "node-2" not found'],
    ["namespaces/default/pods/x", 'pods "x" not found'],
    ["namespaces/default/pods/elsewhere", 'podmetrics.metrics.o8s.io "default/elsewhere" not found'],
  ])("GET %s: %s", async (path, message) => {
    const error = await get(`${METRICS}/${path}`).catch((thrown: unknown) => thrown);
    expect(isNotFound(error)).toBe(true);
    expect(String(error)).toContain(message);
  });

  test.each([
    ["nodes?labelSelector=zone%3Dnode-1", 1],
    ["nodes?labelSelector=zone%3Dnode-2", 0],
    ["nodes?fieldSelector=metadata.name%3Dnode-1", 1],
    ["pods?labelSelector=app%21%3Dweb", 0],
    ["pods?fieldSelector=metadata.namespace%3Ddefault,metadata.name%3Dweb&limit=1", 1],
    ["pods?fieldSelector=metadata.name%3Dx", 0],
    ["namespaces/default/pods", 1],
    ["namespaces/other/pods", 0],
  ])("%s selects %i", async (path, count) => {
    expect((await get(`${METRICS}/${path}`)).items).toHaveLength(count);
  });

  test.each([
    ["nodes?labelSelector=%21%21", 400, "unable to parse requirement"],
    ["pods?fieldSelector=spec.nodeName%3Dx", 400, '"spec.nodeName" is not a known field selector'],
    ["pods?watch=1", 405, "the server does not allow this method on the requested resource"],
    ["other", 404, "could not find the requested resource"],
  ])("%s is refused with %i", async (path, code, message) => {
    const error = await get(`${METRICS}/${path}`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("tables", async () => {
    const accept = "application/json;as=Table;g=meta.o8s.io;v=v1";
    const table = async (path: string) => (await raw(api.port, path, { accept, token: api.token })).json;
    const pods = await table(`${METRICS}/pods`);
    expect(pods.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      "Name",
      "cpu",
      "memory",
      "Window",
    ]);
    expect(pods.rows[0].cells).toEqual(["web", expect.any(String), "2Mi", expect.any(String)]);
    expect((await table(`${METRICS}/nodes`)).rows[0].cells[2]).toBe("1Gi");
  });

  test("discovery, also in upstream's group", async () => {
    expect(await get(METRICS)).toMatchObject({
      groupVersion: "metrics.o8s.io/v1beta1",
      resources: [
        { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
        { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
      ],
    });
    const upstream = await get("/apis/metrics.k8s.io/v1beta1/nodes");
    expect(upstream).toMatchObject({ apiVersion: "metrics.k8s.io/v1beta1", items: [{ usage: { memory: "1Gi" } }] });
  });

  test("OpenAPI documents have the kinds and their texts", async () => {
    const name = "io.o8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics";
    const { components } = await get("/openapi/v3/apis/metrics.o8s.io/v1beta1");
    expect(components.schemas[name].description).toBe("What the containers of a pod use.");
    expect((await get("/openapi/v2")).paths).toHaveProperty([`${METRICS}/nodes`]);
  });
});

describe("asked directly", () => {
  test.each([
    [
      "nobody known",
      undefined,
      403,
      'User "system:anonymous" cannot list resource "nodes" in API group "metrics.o8s.io"',
    ],
    ["a user without the right", "bob", 403, 'User "bob" cannot list resource "nodes" in API group "metrics.o8s.io"'],
  ])("%s may not read", async (_, commonName, status, message) => {
    const pair = commonName === undefined ? undefined : await issueClientCertificate(ca, { commonName });
    const answer = await raw(port, `${METRICS}/nodes`, { ...(pair && { pair }) });
    expect([answer.status, answer.json.message]).toEqual([status, expect.stringContaining(message)]);
  });

  test("headers name a user only if the front proxy sends them", async () => {
    const headers = { "x-remote-user": "admin", "x-remote-group": "system:masters" };
    const pair = await issueClientCertificate(ca, { commonName: "bob" });
    expect((await raw(port, `${METRICS}/nodes`, { headers, pair })).status).toBe(403);
    const proxy = await issueClientCertificate(ca, { commonName: "front-proxy" });
    expect((await raw(port, `${METRICS}/nodes`, { headers, pair: proxy })).status).toBe(200);
  });

  test("health with its checks, and metrics", async () => {
    for (const probe of ["healthz", "livez", "readyz"]) expect((await raw(port, `/${probe}`)).text).toBe("ok");
    const { token } = api;
    const { text } = await raw(port, "/readyz?verbose", { token });
    expect(text).toContain("[+]metric-storage-ready ok\n");
    expect(text).toContain("[+]metadata-informer-sync ok\n");
    expect((await raw(port, "/livez?verbose", { token })).text).toContain("[+]metric-collection-timely ok\n");
    expect((await raw(port, "/metrics")).status).toBe(403);
    const metrics = (await raw(port, "/metrics", { token })).text;
    expect(metrics).toContain('metrics_server_storage_points{type="node"} 1\n');
    expect(metrics).toContain('metrics_server_storage_points{type="container"} 2\n');
    expect(metrics).toMatch(/^metrics_server_orchlet_request_total\{success="false"\} \d+$/m);
    expect(metrics).toMatch(/^metrics_server_api_metric_freshness_seconds_count \d+$/m);
    expect(metrics).toMatch(/^metrics_server_manager_tick_duration_seconds_count \d+$/m);
  });
});

const kubectl = [process.env.KUBECTL ?? "", "/usr/bin/kubectl", "/usr/local/bin/kubectl"].find(
  (path) => path !== "" && existsSync(path),
);

test.runIf(kubectl !== undefined)("kubectl top of a stock client", async () => {
  const env = { PATH: process.env.PATH ?? "", KUBECONFIG: api.clientConfig, HOME: dir };
  const run = async (...args: readonly string[]) =>
    (await promisify(execFile)(kubectl ?? "", ["top", ...args], { env, timeout: 60_000 })).stdout;
  expect(await run("pods", "--containers")).toMatch(
    /^\s*POD.*\n(web\s+main\s+\d+m\s+1Mi\s*\n)(web\s+side\s+\d+m\s+1Mi\s*\n)$/,
  );
  expect(await run("nodes")).toMatch(/^node-1\s+\d+m\s.*1024Mi/m);
});

test("what a node does not report any more is not served", async () => {
  agent.behave({ type: "silent" });
  await poll({ what: "no usage", ...within }, async () => (await get(`${METRICS}/nodes`)).items.length === 0);
  expect((await get(`${METRICS}/pods`)).items).toEqual([]);
  expect((await raw(port, "/readyz")).status).toBe(500);
});

interface RawOptions {
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly pair?: CertificatePair;
}

/** A request to any server of the test; only what is public is sent to it. */
function raw(toPort: number, path: string, { accept, headers, token, pair }: RawOptions = {}) {
  return new Promise<{ readonly status: number; readonly text: string; readonly json: Json }>((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: toPort,
        path,
        ca: [ca.certPem, readFileSync(api.caFile, "utf8")],
        agent: false,
        ...(pair && { cert: pair.certPem, key: pair.keyPem }),
        headers: { ...(accept && { accept }), ...(token && { authorization: `Bearer ${token}` }), ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          const json = response.headers["content-type"]?.includes("json") ? JSON.parse(text) : undefined;
          resolve({ status: response.statusCode ?? 0, text, json });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}
