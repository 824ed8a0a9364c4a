import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DialTarget } from "@orchernetes/kernel";
import {
  type ConnectProxy,
  etcdAvailable,
  poll,
  startApiServer,
  startConnectProxy,
  startWebhookServer,
  type TestApiServer,
  type WebhookServer,
} from "@orchernetes/testkit";
import { createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ExtensionServer, group, startExtensionServer } from "./aggregation/extension-server.ts";
import { startNodeAgent } from "./node-agent.ts";
import { exec, openExec } from "./open-exec.ts";
import { call } from "./support.ts";

const dir = mkdtempSync(join(tmpdir(), "egress-"));
const CLUSTER_IP = "10.0.0.77";
const POD_IP = "10.55.1.2";
/** Where addresses of the cluster's network lead: only its proxy knows. */
const behind = new Map<string, number>();
const route = ({ host, port }: DialTarget): DialTarget => {
  // Nothing else is in that network.
  return { host: "127.0.0.1", port: behind.get(`${host}:${port}`) ?? 1 };
};
const stops: (() => unknown)[] = [];
let cluster: ConnectProxy;
let controlPlane: ConnectProxy;
let store: ConnectProxy;
let webhook: WebhookServer;
let extension: ExtensionServer;
let server: TestApiServer;

const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
};

async function startAgent(): Promise<readonly string[]> {
  const agent = await startNodeAgent(["node-1.far.example", "10.55.0.7"], file);
  stops.push(agent.stop);
  behind.set("10.55.0.7:10250", agent.port).set("node-1.far.example:10250", agent.port);
  return agent.flags;
}

async function startPod(): Promise<void> {
  const pod = http.createServer((request, response) => response.end(`the pod's ${request.url}`));
  pod.listen(0, "127.0.0.1");
  await once(pod, "listening");
  stops.push(() => pod.close());
  behind.set(`${POD_IP}:80`, (pod.address() as AddressInfo).port);
}

async function startExtension(): Promise<string> {
  const ca = await createCertificateAuthority({ commonName: "extension" });
  const tls = await issueServerCertificate(ca, { commonName: "ext", hosts: ["ext.default.svc"] });
  extension = await startExtensionServer(tls, ca.certPem);
  behind.set(`${CLUSTER_IP}:443`, extension.port);
  return ca.certPem;
}

async function startProxies(): Promise<string> {
  const folder = (name: string) => {
    mkdirSync(join(dir, name));
    return join(dir, name);
  };
  cluster = await startConnectProxy({ dir: folder("cluster"), listen: "tls", route });
  controlPlane = await startConnectProxy({
    dir: folder("controlplane"),
    listen: "uds",
    route: () => ({ host: "127.0.0.1", port: webhook.port }),
  });
  store = await startConnectProxy({ dir: folder("etcd"), listen: "tcp" });
  const egressSelections = Object.entries({ cluster, controlplane: controlPlane, etcd: store }).map(
    ([name, { connection }]) => ({ name, connection }),
  );
  const header = { apiVersion: "apiserver.o8s.io/v1beta1", kind: "EgressSelectorConfiguration" };
  return file("egress.json", JSON.stringify({ ...header, egressSelections }));
}

async function startTokenWebhook(): Promise<string> {
  webhook = await startWebhookServer({
    hosts: ["review.far.example"],
    behaviour: {
      type: "answer",
      body: () => ({
        kind: "TokenReview",
        apiVersion: "authentication.o8s.io/v1",
        status: { authenticated: true, user: { username: "of-the-webhook" } },
      }),
    },
  });
  file("webhook-ca.crt", webhook.caPem);
  return file(
    "webhook.yaml",
    `{current-context: c, contexts: [{name: c, context: {cluster: s}}],
      clusters: [{name: s, cluster: {server: "https://review.far.example/", certificate-authority: webhook-ca.crt}}]}`,
  );
}

/** What the tests ask for. */
async function createObjects(extensionCa: string): Promise<void> {
  const create = async (path: string, body: object) => {
    const answer = await call(server, "POST", path, { body });
    if (answer.status !== 201) throw new Error(answer.text);
  };
  const address = (type: string, text: string) => ({ type, address: text });
  const node = (name: string, addresses: readonly object[]) => ({
    metadata: { name },
    status: { addresses, daemonEndpoints: { orchletEndpoint: { Port: 10250 } } },
  });
  await create("/api/v1/nodes", node("by-name", [address("InternalDNS", "node-1.far.example")]));
  await create("/api/v1/nodes", node("by-address", [address("InternalIP", "10.55.0.7")]));
  for (const nodeName of ["by-name", "by-address"])
    await create("/api/v1/namespaces/default/pods", {
      metadata: { name: `on-${nodeName}` },
      spec: { nodeName, containers: [{ name: "c", image: "i" }] },
    });
  const status = { phase: "Running", podIP: POD_IP, podIPs: [{ ip: POD_IP }] };
  await call(server, "PATCH", "/api/v1/namespaces/default/pods/on-by-name/status", {
    raw: JSON.stringify({ status }),
    headers: { "content-type": "application/merge-patch+json" },
  });
  const spec = { clusterIP: CLUSTER_IP, ports: [{ port: 443 }] };
  await create("/api/v1/namespaces/default/services", { metadata: { name: "ext" }, spec });
  await create("/api/v1/namespaces/default/endpoints", {
    metadata: { name: "ext" },
    subsets: [{ addresses: [{ ip: POD_IP }], ports: [{ port: 443 }] }],
  });
  await create("/apis/apiregistration.o8s.io/v1/apiservices", {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      service: { namespace: "default", name: "ext" },
      caBundle: Buffer.from(extensionCa).toString("base64"),
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    },
  });
}

beforeAll(async () => {
  const tokens = await startTokenWebhook();
  const egress = await startProxies();
  const agentFlags = await startAgent();
  await startPod();
  const extensionCa = await startExtension();
  server = await startApiServer({
    store: etcdAvailable() ? "etcd" : "embedded",
    flags: [
      `--egress-selector-config-file=${egress}`,
      `--authentication-token-webhook-config-file=${tokens}`,
      "--authentication-token-webhook-version=v1",
      "--authentication-token-webhook-cache-ttl=0s",
      "--disable-admission-plugins=ServiceAccount",
      ...agentFlags,
    ],
  });
  await createObjects(extensionCa);
}, 120_000);
afterAll(async () => {
  await server?.stop();
  for (const proxy of [cluster, controlPlane, store]) await proxy?.stop();
  await Promise.all([webhook?.stop(), extension?.stop()]);
  for (const stop of stops) stop();
  rmSync(dir, { recursive: true });
});
beforeEach(() => {
  for (const proxy of [cluster, controlPlane]) proxy.behave({ type: "forward" });
});

const podPath = (name: string, rest: string) => `/api/v1/namespaces/default/pods/${name}/${rest}`;

describe("the network of the cluster", () => {
  test.each(["on-by-name", "on-by-address"])(
    "logs and exec of a pod %s, with certificates on both sides",
    async (pod) => {
      const logs = await call(server, "GET", podPath(pod, "log"));
      expect(logs.status).toBe(200);
      expect(logs.text).toMatch(new RegExp(`^/containerLogs/default/${pod}/c.* for orch-apiserver-orchlet-client$`));
      expect(await exec(server, pod)).toBe("ping");
    },
  );

  test("a proxy that dies with a stream open ends the stream; the next one has a new tunnel", async () => {
    const executed = await openExec(server, "on-by-name");
    if (executed.type === "refused") throw new Error(executed.text);
    const closed = once(executed.stream, "close");
    cluster.cut();
    await closed;
    expect(await exec(server, "on-by-name")).toBe("ping");
  });

  test("the names of nodes are left to the proxy, addresses are checked", async () => {
    expect(cluster.targets).toContain("node-1.far.example:10250");
    const { status, text } = await call(server, "GET", "/api/v1/nodes/by-address:6443/proxy/");
    expect([status, text]).toEqual([503, expect.stringContaining("through the proxy of egress selection")]);
  });

  test("pods without TLS", async () => {
    const answer = await call(server, "GET", podPath("on-by-name:80", "proxy/page"));
    expect([answer.status, answer.text]).toEqual([200, "the pod's /page"]);
    expect(cluster.targets).toContain(`${POD_IP}:80`);
  });

  test("extension servers: checks and requests", async () => {
    const path = `/apis/apiregistration.o8s.io/v1/apiservices/v1.${group}`;
    await poll({ what: "the extension server to be available" }, async () => {
      const { text } = await call(server, "GET", path);
      return text.includes('"reason":"Passed"');
    });
    const answer = await call(server, "GET", `/apis/${group}/v1/widgets`);
    expect(answer.status).toBe(200);
    expect(extension.seen.at(-1)?.url).toBe(`/apis/${group}/v1/widgets`);
    expect(cluster.targets).toContain(`${CLUSTER_IP}:443`);
  });

  test.each([
    ["refuses", { type: "refuse", status: 403, reason: "Forbidden" }, 'status 403 \\"Forbidden\\"'],
    ["answers nonsense", { type: "garbage", text: "nonsense\r\n\r\n" }, "which is no HTTP"],
    ["is silent", { type: "silent" }, "within 5000 ms"],
    ["hangs up", { type: "hangUp" }, "closed before an answer came"],
  ] as const)("a proxy that %s: requests fail in time and say so", async (_, behaviour, message) => {
    cluster.behave(behaviour);
    const [logs, executed] = await Promise.all([
      call(server, "GET", "/api/v1/nodes/by-name/proxy/logs"),
      exec(server, "on-by-name"),
    ]);
    // Connections that are kept need no new tunnel.
    if (logs.status !== 200) expect([logs.status, logs.text]).toEqual([503, expect.stringContaining(message)]);
    expect(executed).toContain(message);
    expect(executed).toMatch(/^500/);
  });
});

describe("the network of the control plane", () => {
  const token = "unknown-to-all-others";
  const review = () =>
    call(server, "POST", "/apis/authentication.o8s.io/v1/tokenreviews", {
      body: { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec: { token } },
    });

  test("tokens are reviewed by a webhook that only the proxy finds", async () => {
    const { json } = await review();
    expect(json["status"]).toMatchObject({ authenticated: true, user: { username: "of-the-webhook" } });
    expect(controlPlane.targets).toContain("review.far.example:443");
    expect(cluster.targets).not.toContain("review.far.example:443");
  });

  test("without the proxy tokens are unknown; other users are not affected", async () => {
    controlPlane.behave({ type: "hangUp" });
    controlPlane.cut();
    expect((await call(server, "GET", "/api/v1/namespaces", { token })).status).toBe(401);
    expect((await call(server, "GET", "/api/v1/namespaces")).status).toBe(200);
  });
});

test.runIf(etcdAvailable())(
  "the store is reached through its proxy, and again after the proxy was cut off",
  async () => {
    expect(store.tunnels).toBeGreaterThan(0);
    store.cut();
    const create = (name: string) =>
      call(server, "POST", "/api/v1/namespaces/default/configmaps", { body: { metadata: { name } } });
    await poll({ what: "the store to be reached again" }, async () => (await create("after")).status === 201);
    expect((await create("after")).status).toBe(409);
  },
);

test("attempts are counted", async () => {
  const { text } = await call(server, "GET", "/metrics");
  expect(text).toMatch(/apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="tcp"\} [1-9]/);
  expect(text).toMatch(
    /apiserver_egress_dialer_dial_duration_seconds_count\{protocol="http_connect",transport="uds"\}/,
  );
  expect(text).toMatch(/dial_failure_count\{protocol="http_connect",transport="tcp",stage="proxy"\} [1-9]/);
});
