import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { runDaemon } from "@orchernetes/component";
import { freePort } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { orchProxy } from "./daemon.ts";

/** A server that stands for a pod. */
const backend = createServer((_, response) => response.end("hello"));
let api: FakeApiServer;
let flags: readonly string[];
let ports: { readonly healthz: number; readonly metrics: number };
let servicePort: number;
beforeAll(async () => {
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
});
afterAll(() => void backend.close());
beforeEach(async () => {
  api = await startFakeApiServer();
  ports = { healthz: await freePort(), metrics: await freePort() };
  servicePort = await freePort();
  flags = [
    `--master=${api.url}`,
    "--proxy-mode=userspace",
    "--hostname-override=n",
    "--oom-score-adj=0",
    `--healthz-bind-address=127.0.0.1:${ports.healthz}`,
    `--metrics-bind-address=127.0.0.1:${ports.metrics}`,
    "--iptables-min-sync-period=0s",
  ];
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await api.close();
});

const start = (...more: readonly string[]) => {
  const seen = { err: "" };
  const io = {
    argv: [...flags, ...more],
    stdout() {},
    stderr(text: string) {
      seen.err += text;
    },
    exitAfter() {},
  };
  return { seen, code: runDaemon(orchProxy, io) };
};
const page = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return [response.status, await response.text()] as const;
};
const status = (port: number, path: string) =>
  page(port, path).then(
    ([code]) => code,
    () => 0,
  );
const answer = () => fetch(`http://127.9.0.7:${servicePort}/`).then((response) => response.text());
const refused = () =>
  new Promise<unknown>((resolve) => {
    const socket = connect({ host: "127.9.0.7", port: servicePort });
    socket.once("error", resolve);
    socket.once("connect", () => {
      socket.destroy();
      resolve("connected");
    });
  });

function putService(): void {
  const labels = { "orchernetes.io/service-name": "web" };
  const ports = [{ name: "", port: servicePort, protocol: "TCP", targetPort: 8080 }];
  api.put("/api/v1/services", {
    metadata: { name: "web", namespace: "a", uid: "1" },
    spec: { type: "ClusterIP", clusterIP: "10.9.0.7", clusterIPs: ["10.9.0.7"], ipFamilies: ["IPv4"], ports },
  });
  const { port } = backend.address() as { readonly port: number };
  api.put("/apis/discovery.o8s.io/v1/endpointslices", {
    metadata: { name: "web-1", namespace: "a", uid: "2", labels },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true } }],
    ports: [{ name: "", port, protocol: "TCP" }],
  });
}

test("a service is served while it has endpoints, and the ports tell about the daemon", async () => {
  const { code } = start();
  try {
    await expect.poll(() => status(ports.healthz, "/healthz"), { timeout: 10_000 }).toBe(200);
    putService();
    await expect.poll(() => answer().catch(() => ""), { timeout: 10_000 }).toBe("hello");
    expect(await page(ports.metrics, "/proxyMode")).toEqual([200, "userspace"]);
    expect(await page(ports.metrics, "/healthz")).toEqual([200, "ok"]);
    const [, configuration] = await page(ports.metrics, "/configz");
    expect(JSON.parse(configuration)["orchproxy.config.o8s.io"]).toMatchObject({
      mode: "userspace",
      iptables: { minSyncPeriod: "1s", syncPeriod: "30s" },
    });
    const [, metrics] = await page(ports.metrics, "/metrics");
    expect(metrics).toMatch(/^orchproxy_sync_proxy_rules_service_changes_total 1$/m);
    expect(metrics).toMatch(/^orchproxy_sync_proxy_rules_endpoint_changes_total 1$/m);
    expect(metrics).toMatch(/^orchproxy_sync_proxy_rules_service_changes_pending 0$/m);
    api.remove("/apis/discovery.o8s.io/v1/endpointslices", "a/web-1");
    await expect.poll(refused, { timeout: 10_000 }).toMatchObject({ code: "ECONNREFUSED" });
    expect((await page(ports.metrics, "/debug/pprof/"))[0]).toBe(404);
  } finally {
    process.emit("SIGTERM");
    expect(await code).toBe(0);
  }
  await expect(page(ports.healthz, "/healthz")).rejects.toThrow();
});

test("without an API server the daemon is alive, serves nothing, and stops at once", async () => {
  api.hook = () => "hang";
  const { code } = start();
  await expect.poll(() => status(ports.healthz, "/healthz"), { timeout: 10_000 }).toBe(200);
  const [, metrics] = await page(ports.metrics, "/metrics");
  expect(metrics).not.toMatch(/^orchproxy_sync_proxy_rules_last_timestamp_seconds [1-9]/m);
  process.emit("SIGTERM");
  expect(await code).toBe(0);
});

test("a port that is taken is tried again, or ends the daemon if that is asked for", async () => {
  const taken = createServer().listen(ports.healthz, "127.0.0.1");
  await once(taken, "listening");
  const strict = start("--bind-address-hard-fail");
  expect(await strict.code).toBe(1);
  expect(strict.seen.err).toMatch(/cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
  const patient = start();
  await expect.poll(() => status(ports.metrics, "/healthz"), { timeout: 10_000 }).toBe(200);
  taken.close();
  await expect.poll(() => status(ports.healthz, "/healthz"), { timeout: 15_000 }).toBe(200);
  process.emit("SIGTERM");
  expect(await patient.code).toBe(0);
});

test("while objects are missing nothing is late, and the start is an event of the node", async () => {
  api.hook = ({ path }) => (path.endsWith("/endpointslices") ? "hang" : undefined);
  putService();
  const { code } = start("--iptables-sync-period=50ms", "--iptables-min-sync-period=1ms");
  try {
    await expect.poll(() => status(ports.healthz, "/healthz"), { timeout: 10_000 }).toBe(200);
    const started = () => api.objects("/apis/events.o8s.io/v1/events");
    await expect.poll(started, { timeout: 10_000 }).toEqual([
      expect.objectContaining({
        reason: "Starting",
        action: "StartOrchProxy",
        type: "Normal",
        reportingController: "orch-proxy",
        regarding: { kind: "Node", name: "n", uid: "n" },
      }),
    ]);
    const counted = async () => (await page(ports.metrics, "/metrics"))[1];
    await expect.poll(counted, { timeout: 10_000 }).toMatch(/^orchproxy_sync_proxy_rules_service_changes_total 1$/m);
    // Longer than changes may wait.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await status(ports.healthz, "/healthz")).toBe(200);
  } finally {
    process.emit("SIGTERM");
    expect(await code).toBe(0);
  }
});

test("a configuration file that changes ends the daemon, so that it is started again with it", async () => {
  const dir = mkdtempSync(join(tmpdir(), "orch-proxy-"));
  try {
    const path = join(dir, "config.yaml");
    const write = (text: string) =>
      writeFileSync(path, `apiVersion: orchproxy.config.o8s.io/v1alpha1\nkind: OrchProxyConfiguration\n${text}`);
    write("");
    const { code } = start(`--config=${path}`);
    await expect.poll(() => status(ports.healthz, "/healthz"), { timeout: 10_000 }).toBe(200);
    // The same content is no change.
    write("");
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await status(ports.healthz, "/healthz")).toBe(200);
    write("enableProfiling: true\n");
    expect(await code).toBe(1);
    await expect(page(ports.healthz, "/healthz")).rejects.toThrow();
  } finally {
    rmSync(dir, { recursive: true });
  }
}, 20_000);

test("with NodeCIDR the daemon waits for the node's ranges, and ends when they change", async () => {
  const putNode = (podCIDRs: readonly string[]) =>
    api.put("/api/v1/nodes", { metadata: { name: "n", uid: "3" }, spec: { podCIDRs }, status: {} });
  putNode([]);
  putService();
  const { code } = start("--detect-local-mode=NodeCIDR");
  await expect.poll(() => status(ports.healthz, "/healthz"), { timeout: 10_000 }).toBe(200);
  expect(await refused()).toMatchObject({ code: "ECONNREFUSED" });
  putNode(["10.244.1.0/24"]);
  await expect.poll(() => answer().catch(() => ""), { timeout: 10_000 }).toBe("hello");
  putNode(["10.244.2.0/24"]);
  expect(await code).toBe(1);
});
