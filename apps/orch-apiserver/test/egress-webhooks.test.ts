import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DialTarget } from "@orchernetes/kernel";
import {
  type ConnectProxy,
  type EtcdCluster,
  etcdAvailable,
  type KonnectivityServer,
  poll,
  startApiServer,
  startConnectProxy,
  startEtcdCluster,
  startKonnectivityServer,
  startWebhookServer,
  type TestApiServer,
  type WebhookServer,
} from "@orchernetes/testkit";
import { createCertificateAuthority, issueCertificate, issueClientCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rule } from "./admission-webhooks/hooks.ts";
import { startNodeAgent, type TestNodeAgent } from "./node-agent.ts";
import { exec, openExec } from "./open-exec.ts";
import { call, type Json } from "./support.ts";

const dir = mkdtempSync(join(tmpdir(), "egress-webhooks-"));
const CLUSTER_IP = "10.0.0.78";
const SERVICE = "hook.default.svc";
const URL_HOST = "hooks.far.example";
const group = "stable.example.com";
const configMaps = "/api/v1/namespaces/default/configmaps";

let konnectivity: KonnectivityServer;
let controlPlane: ConnectProxy;
let store: ConnectProxy;
let etcd: EtcdCluster | undefined;
let agent: TestNodeAgent;
let hooks: WebhookServer;
let collector: Http2Server;
let spans = 0;
let server: TestApiServer;

const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};
const folder = (name: string): string => {
  mkdirSync(join(dir, name));
  return join(dir, name);
};
const at = (port: number): DialTarget => ({ host: "127.0.0.1", port });

/** Answers every kind of review; what it saw is in `hooks.requests`. */
function answer({ path, body }: { readonly path: string; readonly body: unknown }): unknown {
  const { apiVersion, kind, request, spec } = body as Json;
  const head = { apiVersion, kind };
  const uid = request?.uid;
  if (path.startsWith("/authorize")) return { ...head, status: { allowed: String(spec?.user) === "of-the-webhook" } };
  if (path.startsWith("/convert")) {
    const objects = request?.objects as unknown as readonly Json[];
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: request?.desiredAPIVersion }));
    return { ...head, response: { uid, convertedObjects, result: { status: "Success" } } };
  }
  if (path.startsWith("/mutate")) {
    const patch = Buffer.from('[{"op":"add","path":"/data","value":{"by":"webhook"}}]').toString("base64");
    return { ...head, response: { uid, allowed: true, patchType: "JSONPatch", patch } };
  }
  const denied = String(request?.name).startsWith("bad");
  return { ...head, response: { uid, allowed: !denied, status: { message: "no bad ones" } } };
}

/** A client configuration for a webhook at a path. */
const serviceConfig = (path: string): string =>
  file(
    `webhook${path.replace("/", "-")}.yaml`,
    `{current-context: c, contexts: [{name: c, context: {cluster: s}}],
      clusters: [{name: s, cluster: {server: "https://${URL_HOST}${path}", certificate-authority: hooks-ca.crt}}]}`,
  );

async function startProxies(): Promise<string> {
  const etcdPort = etcd?.members[0]?.port ?? 1;
  const { port: spanPort } = collector.address() as AddressInfo;
  konnectivity = await startKonnectivityServer({
    dir: folder("cluster"),
    route: ({ port }) => at(port === 10250 ? agent.port : hooks.port),
  });
  controlPlane = await startConnectProxy({
    dir: folder("controlplane"),
    listen: "tls",
    route: ({ port }) => at(port === 4317 ? spanPort : hooks.port),
  });
  store = await startConnectProxy({ dir: folder("etcd"), listen: "tls", route: () => at(etcdPort) });
  const selections = { cluster: konnectivity, controlplane: controlPlane, etcd: store };
  const egressSelections = Object.entries(selections).map(([name, { connection }]) => ({ name, connection }));
  const head = { apiVersion: "apiserver.o8s.io/v1beta1", kind: "EgressSelectorConfiguration" };
  return file("egress.json", JSON.stringify({ ...head, egressSelections }));
}

/** etcd that speaks TLS; the flags name another port, which its proxy alone knows. */
async function startStore(): Promise<readonly string[]> {
  if (!etcdAvailable()) return [];
  const ca = await createCertificateAuthority({ commonName: "etcd-ca" });
  const usages = ["digital signature", "key encipherment", "server auth", "client auth"] as const;
  const pair = await issueCertificate(ca, { commonName: "etcd", hosts: ["127.0.0.1"], usages });
  const client = await issueClientCertificate(ca, { commonName: "orch-apiserver" });
  const tls = {
    caFile: file("etcd-ca.crt", ca.certPem),
    certFile: file("etcd.crt", pair.certPem),
    keyFile: file("etcd.key", pair.keyPem),
    clientCertFile: file("etcd-client.crt", client.certPem),
    clientKeyFile: file("etcd-client.key", client.keyPem),
  };
  etcd = await startEtcdCluster({ members: 1, tls });
  return [
    "--storage-backend=etcd3",
    "--etcd-servers=https://127.0.0.1:7",
    `--etcd-cafile=${tls.caFile}`,
    `--etcd-certfile=${tls.clientCertFile}`,
    `--etcd-keyfile=${tls.clientKeyFile}`,
  ];
}

async function startCollector(): Promise<void> {
  collector = createServer();
  collector.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined).resume();
    stream.once("end", () => {
      spans++;
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.alloc(5));
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
}

async function create(path: string, body: object): Promise<void> {
  const { status, text } = await call(server, "POST", path, { body });
  if (status !== 201) throw new Error(text);
}

const caBundle = () => Buffer.from(hooks.caPem).toString("base64");
const byService = (path: string) => ({ service: { namespace: "default", name: "hook", path }, caBundle: caBundle() });
const byUrl = (path: string) => ({ url: `https://${URL_HOST}${path}`, caBundle: caBundle() });

async function createObjects(): Promise<void> {
  await create("/api/v1/namespaces/default/services", {
    metadata: { name: "hook" },
    spec: { clusterIP: CLUSTER_IP, ports: [{ port: 443 }] },
  });
  await create("/api/v1/nodes", {
    metadata: { name: "node-1" },
    status: {
      addresses: [{ type: "InternalIP", address: "10.55.0.7" }],
      daemonEndpoints: { orchletEndpoint: { Port: 10250 } },
    },
  });
  await create("/api/v1/namespaces/default/pods", {
    metadata: { name: "pod" },
    spec: { nodeName: "node-1", containers: [{ name: "c", image: "i" }] },
  });
  const common = { sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 2 };
  const rules = [rule("CREATE", "", "configmaps")];
  const registration = "/apis/admissionregistration.o8s.io/v1";
  await create(`${registration}/mutatingwebhookconfigurations`, {
    metadata: { name: "by-service" },
    webhooks: [{ ...common, name: "mutate.example.com", clientConfig: byService("/mutate"), rules }],
  });
  await create(`${registration}/validatingwebhookconfigurations`, {
    metadata: { name: "by-url" },
    webhooks: [{ ...common, name: "validate.example.com", clientConfig: byUrl("/validate"), rules }],
  });
}

beforeAll(async () => {
  hooks = await startWebhookServer({ hosts: [SERVICE, URL_HOST], behaviour: { type: "answer", body: answer } });
  file("hooks-ca.crt", hooks.caPem);
  agent = await startNodeAgent(["10.55.0.7"], file);
  await startCollector();
  const storeFlags = await startStore();
  const tracing = { apiVersion: "apiserver.config.o8s.io/v1beta1", kind: "TracingConfiguration" };
  const policy = { apiVersion: "audit.o8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"] };
  server = await startApiServer({
    authorizationMode: "RBAC,Webhook",
    flags: [
      `--egress-selector-config-file=${await startProxies()}`,
      `--authorization-webhook-config-file=${serviceConfig("/authorize")}`,
      "--authorization-webhook-version=v1",
      "--authorization-webhook-cache-unauthorized-ttl=0s",
      `--audit-webhook-config-file=${serviceConfig("/audit")}`,
      "--audit-webhook-batch-max-wait=100ms",
      `--audit-policy-file=${file("policy.json", JSON.stringify({ ...policy, rules: [{ level: "Metadata" }] }))}`,
      `--tracing-config-file=${file("tracing.json", JSON.stringify({ ...tracing, endpoint: "spans.far.example:4317", samplingRatePerMillion: 1_000_000 }))}`,
      "--disable-admission-plugins=ServiceAccount",
      ...storeFlags,
      ...agent.flags,
    ],
  });
  await createObjects();
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await Promise.all([controlPlane?.stop(), store?.stop(), hooks?.stop(), etcd?.stop()]);
  konnectivity?.stop();
  agent?.stop();
  collector?.close();
  rmSync(dir, { recursive: true });
});
beforeEach(() => {
  konnectivity.behave({ type: "forward" });
  controlPlane.behave({ type: "forward" });
});

const write = (name: string) => call(server, "POST", configMaps, { body: { metadata: { name } } });
const asStranger = (user: string) =>
  call(server, "GET", configMaps, { headers: { "Impersonate-User": user, "Impersonate-Group": "strangers" } });

describe("webhooks", () => {
  test("of admission: services are in the network of the cluster, URLs in that of the control plane", async () => {
    const { json } = await poll({ what: "the webhooks to be in force" }, async () => {
      const answered = await write(`good-${Math.random()}`);
      return answered.json?.data === undefined ? undefined : answered;
    });
    expect(json.data).toEqual({ by: "webhook" });
    expect(await write("bad")).toMatchObject({ status: 400, text: expect.stringContaining("no bad ones") });
    expect(konnectivity.targets).toContain(`${CLUSTER_IP}:443`);
    expect(controlPlane.targets).toContain(`${URL_HOST}:443`);
    expect(konnectivity.targets).not.toContain(`${URL_HOST}:443`);
    expect(controlPlane.targets).not.toContain(`${CLUSTER_IP}:443`);
  });

  test.each([
    ["by service", byService, () => konnectivity.targets, `${CLUSTER_IP}:443`],
    ["by URL", byUrl, () => controlPlane.targets, `${URL_HOST}:443`],
  ] as const)("of conversion, %s", async (title, config, targets, target) => {
    const plural = title.replace(/\W/g, "").toLowerCase();
    const before = targets().filter((one) => one === target).length;
    await create("/apis/apiextensions.o8s.io/v1/customresourcedefinitions", {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, kind: plural },
        versions: ["v1", "v2"].map((name) => ({
          name,
          served: true,
          storage: name === "v1",
          schema: { openAPIV3Schema: { type: "object" } },
        })),
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: config("/convert"), conversionReviewVersions: ["v1"] },
        },
      },
    });
    const path = (version: string) => `/apis/${group}/${version}/namespaces/default/${plural}`;
    await poll({ what: "the resource" }, async () => {
      const body = { apiVersion: `${group}/v1`, kind: plural, metadata: { name: "one" } };
      return [201, 409].includes((await call(server, "POST", path("v1"), { body })).status);
    });
    const { status, json } = await call(server, "GET", `${path("v2")}/one`);
    expect([status, json?.apiVersion]).toEqual([200, `${group}/v2`]);
    expect(targets().filter((one) => one === target).length).toBeGreaterThan(before);
  });

  test("that authorize and record are in the network of the control plane", async () => {
    expect((await asStranger("of-the-webhook")).status).toBe(200);
    expect((await asStranger("of-nobody")).status).toBe(403);
    await poll({ what: "events" }, () => hooks.requests.some(({ path }) => path.startsWith("/audit")));
  });
});

test("spans are sent to a collector that only the proxy of the control plane finds", async () => {
  await poll({ what: "spans", timeoutMs: 20_000 }, () => spans > 0);
  expect(controlPlane.targets).toContain("spans.far.example:4317");
});

describe("konnectivity", () => {
  test("leads to agents of nodes: logs, exec and their other paths", async () => {
    const pod = await call(server, "GET", "/api/v1/namespaces/default/pods/pod/log");
    expect([pod.status, pod.text]).toEqual([200, expect.stringMatching(/^\/containerLogs\/default\/pod\/c/)]);
    expect((await call(server, "GET", "/api/v1/nodes/node-1/proxy/healthz")).text).toMatch(/^\/healthz/);
    expect(await exec(server, "pod")).toBe("ping");
    expect(konnectivity.targets).toContain("10.55.0.7:10250");
  });

  test("that dies with a stream open ends the stream", async () => {
    const executed = await openExec(server, "pod");
    if (executed.type === "refused") throw new Error(executed.text);
    const closed = once(executed.stream, "close");
    await poll({ what: "the stream to reach the agent" }, () => agent.streams > 0);
    konnectivity.cut();
    await closed;
    expect(await exec(server, "pod")).toBe("ping");
  });
});

describe("a proxy that does not do its part", () => {
  test.each([
    ["refuses", { type: "refuse", status: 400, reason: "Bad Request" }, 'status 400 \\"Bad Request\\"'],
    ["answers nonsense", { type: "garbage", text: "220 smtp\r\n\r\n" }, "which is no HTTP"],
    ["sends headers without end", { type: "enormous" }, "longer than 16384 bytes"],
    ["is silent", { type: "silent" }, "context deadline exceeded"],
    ["is too slow", { type: "forward", delayMs: 10_000 }, "context deadline exceeded"],
    ["hangs up", { type: "hangUp" }, "closed before an answer came"],
  ] as const)("%s: writes that need its webhook fail in time, others go on", async (_, behaviour, message) => {
    controlPlane.behave(behaviour);
    controlPlane.cut();
    const from = performance.now();
    const [needed, other, asked] = await Promise.all([
      write("needs-the-webhook"),
      call(server, "POST", "/api/v1/namespaces/default/secrets", { body: { metadata: { generateName: "free-" } } }),
      behaviour.type === "refuse" ? asStranger("of-nobody-at-all") : undefined,
    ]);
    expect([needed.status, needed.text]).toEqual([500, expect.stringContaining(message)]);
    expect(other.status).toBe(201);
    // The webhook has two seconds.
    expect(performance.now() - from).toBeLessThan(8000);
    if (asked !== undefined)
      expect([asked.status, asked.text]).toEqual([500, expect.stringContaining("egress selection")]);
  });

  test("webhooks of the cluster fail when konnectivity refuses", async () => {
    konnectivity.behave({ type: "refuse", error: "no agent" });
    konnectivity.cut();
    const { status, text } = await write("needs-the-service");
    expect([status, text]).toEqual([500, expect.stringContaining("it could not reach the target: no agent")]);
  });

  test("shows another certificate: nothing is sent to it", async () => {
    await controlPlane.impersonate();
    controlPlane.cut();
    const before = controlPlane.targets.length;
    const { status, text } = await write("needs-the-webhook");
    expect([status, text]).toEqual([500, expect.stringContaining("certificate")]);
    expect(controlPlane.targets).toHaveLength(before);
  });
});

test.runIf(etcdAvailable())(
  "etcd speaks TLS inside the tunnel, and is reached again after the proxy was cut off",
  async () => {
    expect(store.targets).toContain("127.0.0.1:7");
    store.cut();
    await poll({ what: "the store to be reached again" }, async () => {
      const { status } = await call(server, "POST", "/api/v1/namespaces/default/secrets", {
        body: { metadata: { name: "after" } },
      });
      return status === 201 || status === 409;
    });
  },
);
