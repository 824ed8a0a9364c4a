import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as listen, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { FakeObject } from "@orchernetes/client/testing";
import { type FlagTable, parseFlags } from "@orchernetes/component";
import { freePort } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { completeConfig } from "./config.ts";
import { orchletFlags } from "./flags/index.ts";
import { prepareAgent, type TestAgent } from "./testing/agent.ts";
import { testPod } from "./testing/pods.ts";

let agent: TestAgent;
beforeEach(async () => {
  agent = await prepareAgent();
});
afterEach(() => agent.close());

const wait = { timeout: 20_000, interval: 20 };
const nodes = "/api/v1/nodes";
const pods = "/api/v1/pods";
const requests = (method: string, path: string | RegExp) =>
  agent.api.requests.filter((one) => one.method === method && one.path.search(path) >= 0);
const run = (name: string, spec: object = {}) =>
  agent.api.put(pods, testPod({ nodeName: "node-a", ...spec }, { name, uid: `u-${name}` }) as unknown as FakeObject);
const phaseOf = (name: string) =>
  (agent.api.objects(pods).find(({ metadata }) => metadata.name === name)?.status as { phase?: string } | undefined)
    ?.phase;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

// shows: registerWithTaints, providerID, maxPods, nodeLeaseDurationSeconds, nodeStatusMaxImages
// shows: --register-schedulable, --node-labels
test("the node is registered with the values of fields and flags", async () => {
  const taint = { key: "a", value: "b", effect: "NoSchedule" };
  const images = ["a", "b", "c"].map((id) => ({ id, repoTags: [`${id}:1`], repoDigests: [], size: 1 }));
  Object.assign(agent.runtime.cri.images, { listImages: async () => ({ images }) });
  await agent.start(
    {
      registerWithTaints: [taint],
      providerID: "cloud://a",
      maxPods: 7,
      nodeLeaseDurationSeconds: 77,
      nodeStatusMaxImages: 2,
    },
    { registerSchedulable: false, nodeLabels: { zone: "a" } },
  );
  await expect
    .poll(() => agent.api.objects(nodes)[0], wait)
    .toMatchObject({
      metadata: { labels: { zone: "a" } },
      spec: { taints: expect.arrayContaining([taint]), providerID: "cloud://a", unschedulable: true },
      status: { capacity: { pods: "7" }, images: [expect.anything(), expect.anything()] },
    });
  await expect
    .poll(() => agent.api.objects("/apis/coordination.o8s.io/v1/leases")[0], wait)
    .toMatchObject({ spec: { leaseDurationSeconds: 77 } });
});

// shows: registerNode
test("without registerNode, the agent waits until the node has been created", async () => {
  await agent.start({ registerNode: false });
  await expect.poll(() => requests("GET", /nodes\/node-a$/).length, wait).toBeGreaterThan(1);
  expect(requests("POST", nodes)).toEqual([]);
  agent.api.put(nodes, { metadata: { name: "node-a" }, spec: {}, status: {} });
  await expect
    .poll(() => agent.api.objects(nodes)[0], wait)
    .toMatchObject({ status: { daemonEndpoints: { orchletEndpoint: { Port: 10250 } } } });
  expect(requests("POST", nodes)).toEqual([]);
});

// shows: nodeStatusUpdateFrequency, nodeStatusReportFrequency
test.each([
  ["50ms", "200ms", 4, 9],
  ["50ms", "1h", 0, 2],
  ["1h", "50ms", 0, 2],
])(
  "computed every %s and reported every %s, an unchanged status is written %i to %i times",
  async (update, report, least, most) => {
    await agent.start({ nodeStatusUpdateFrequency: update, nodeStatusReportFrequency: report });
    await expect.poll(() => requests("PATCH", /node-a\/status/).length, wait).toBeGreaterThan(0);
    const before = requests("PATCH", /node-a\/status/).length;
    await sleep(1200);
    const written = requests("PATCH", /node-a\/status/).length - before;
    expect(written).toBeGreaterThanOrEqual(least);
    expect(written).toBeLessThanOrEqual(most);
  },
);

// shows: syncFrequency, configMapAndSecretChangeDetectionStrategy
test.each([
  ["100ms", "Get", 3, 20],
  ["1h", "Get", 0, 1],
  ["100ms", "Cache", 0, 0],
])(
  "with a sync every %s, the ConfigMap of a pod is read %s: %i to %i times",
  async (syncFrequency, strategy, least, most) => {
    agent.api.put("/api/v1/configmaps", { metadata: { name: "m", namespace: "default" }, data: { a: "b" } });
    await agent.start({ syncFrequency, configMapAndSecretChangeDetectionStrategy: strategy });
    run("web", { volumes: [{ name: "v", configMap: { name: "m" } }] });
    await expect.poll(() => phaseOf("web"), wait).toBe("Running");
    const before = requests("GET", /configmaps\/m$/).length;
    await sleep(1200);
    const read = requests("GET", /configmaps\/m$/).length - before;
    expect(read).toBeGreaterThanOrEqual(least);
    expect(read).toBeLessThanOrEqual(most);
  },
);

const manifest = (name: string) =>
  JSON.stringify({
    ...{ kind: "Pod", apiVersion: "v1", metadata: { name } },
    spec: { containers: [{ name: "c", image: "i" }] },
  });

// shows: staticPodURL, staticPodURLHeader, httpCheckFrequency
test("pods are fetched periodically from a URL, with the given headers", async () => {
  const seen: unknown[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers["x-a"]);
    response.end(manifest("web"));
  });
  const staticPodURL = `http://127.0.0.1:${await listening(server)}/`;
  const staticPodURLHeader = { "X-A": ["b", "c"] };
  await agent.start({ staticPodURL, staticPodURLHeader, httpCheckFrequency: "50ms" }, { api: undefined });
  await expect.poll(() => seen.length, wait).toBeGreaterThan(3);
  expect(seen[0]).toBe("b, c");
  await expect.poll(() => agent.runtime.count(), wait).toEqual({ sandboxes: 1, containers: 1 });
});

// shows: staticPodPath, fileCheckFrequency
test("the pod of a new manifest starts, and the pod of a removed manifest stops", async () => {
  const staticPodPath = join(agent.dir, "static");
  mkdirSync(staticPodPath);
  await agent.start({ staticPodPath, fileCheckFrequency: "50ms" }, { api: undefined });
  writeFileSync(join(staticPodPath, "web.json"), manifest("web"));
  await expect.poll(() => agent.runtime.count(), wait).toEqual({ sandboxes: 1, containers: 1 });
});

// shows: orchAPIQPS, orchAPIBurst
test("requests to the API server are limited", async () => {
  await agent.start({ orchAPIQPS: 2, orchAPIBurst: 3 });
  await expect.poll(() => agent.api.requests.length, wait).toBeGreaterThan(0);
  await sleep(1000);
  // Three at once, two a second, and one for what the first wait has taken.
  expect(agent.api.requests.length).toBeLessThanOrEqual(6);
});

// shows: eventRecordQPS, eventBurst
test.each([
  [1, 2, 1, 5],
  [0, 0, 12, 100],
])(
  "with eventRecordQPS %i and eventBurst %i, %i to %i events are written in a second",
  async (qps, burst, least, most) => {
    await agent.start({ eventRecordQPS: qps, eventBurst: burst });
    for (const name of ["a", "b", "c", "d"]) run(name);
    for (const name of ["a", "b", "c", "d"]) await expect.poll(() => phaseOf(name), wait).toBe("Running");
    const before = Date.now();
    await sleep(1000);
    const written = requests("POST", /events$/).length;
    expect(written).toBeGreaterThanOrEqual(least);
    // The pods may have taken long to run.
    if (qps > 0) expect(written).toBeLessThanOrEqual(most + Math.ceil((Date.now() - before) / 1000) * 2);
  },
);

// shows: serializeImagePulls, maxParallelImagePulls
test.each([
  [{}, 1],
  [{ serializeImagePulls: false }, 3],
  [{ serializeImagePulls: false, maxParallelImagePulls: 2 }, 2],
])("with %j, images of three pods are pulled %i at a time", async (settings, want) => {
  let [now, most, pulled] = [0, 0, 0];
  Object.assign(agent.runtime.cri.images, {
    imageStatus: async () => ({}),
    async pullImage() {
      most = Math.max(most, ++now);
      await sleep(500);
      now--;
      pulled++;
      return { imageRef: "sha256:0" };
    },
  });
  await agent.start({ ...settings, registryPullQPS: 0 });
  for (const name of ["a", "b", "c"]) run(name, { containers: [{ name: "c", image: name }] });
  await expect.poll(() => pulled, wait).toBe(3);
  expect(most).toBe(want);
});

// shows: containerRuntimeEndpoint, imageServiceEndpoint, runtimeRequestTimeout
test("the runtime is called at the configured endpoints, with the configured timeout", async () => {
  await agent.start({
    containerRuntimeEndpoint: "unix:///a.sock",
    imageServiceEndpoint: "unix:///b.sock",
    runtimeRequestTimeout: "5s",
  });
  expect(agent.connectedWith()).toMatchObject({
    endpoint: "unix:///a.sock",
    imageEndpoint: "unix:///b.sock",
    timeoutMs: 5000,
  });
});

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port }, () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });

// shows: enableServer, address, port, healthzPort, healthzBindAddress, tlsMinVersion, --cert-dir
test.each([true, false])("the servers of an agent with enableServer: %s", async (enableServer) => {
  const [port, healthzPort] = [await freePort(), await freePort()];
  await agent.start({
    ...{ enableServer, port, healthzPort, address: "127.0.0.2", healthzBindAddress: "127.0.0.3" },
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    tlsMinVersion: "VersionTLS13",
  });
  expect([await accepts("127.0.0.2", port), await accepts("127.0.0.1", port)]).toEqual([enableServer, false]);
  expect([await accepts("127.0.0.3", healthzPort), await accepts("127.0.0.1", healthzPort)]).toEqual([true, false]);
  expect(existsSync(join(agent.dir, "pki", "orchlet.crt"))).toBe(enableServer);
  if (!enableServer) return;
  const versionOf = (maxVersion: "TLSv1.2" | "TLSv1.3") =>
    new Promise((resolve) => {
      const socket = connectTls({ host: "127.0.0.2", port, rejectUnauthorized: false, maxVersion }, () => {
        resolve(socket.getProtocol());
        socket.destroy();
      }).on("error", () => resolve(undefined));
    });
  expect([await versionOf("TLSv1.3"), await versionOf("TLSv1.2")]).toEqual(["TLSv1.3", undefined]);
});

// shows: tracing
test("spans of the runtime's calls are sent to the collector", async () => {
  let connections = 0;
  const port = await listening(
    listen((socket) => {
      connections++;
      socket.on("error", () => undefined).resume();
    }),
  );
  await agent.start({ tracing: { endpoint: `127.0.0.1:${port}`, samplingRatePerMillion: 1_000_000 } });
  run("web");
  await expect.poll(() => connections, wait).toBeGreaterThan(0);
});

// shows: --hostname-override, --node-ip, --orchconfig, --config, --root-dir
test("flags name the node, its address, its files and its API server", async () => {
  const { dir } = agent;
  const client = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
    clusters: [{ name: "c", cluster: { server: agent.api.url } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  };
  const file = { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration", maxPods: 9 };
  writeFileSync(join(dir, "client"), JSON.stringify(client), { mode: 0o600 });
  writeFileSync(join(dir, "config"), JSON.stringify(file));
  const parsed = parseFlags(
    { name: "orchlet", description: "x", version: { text: "v", raw: "v" } },
    orchletFlags as FlagTable,
    [
      "--hostname-override=Node-B",
      "--node-ip=127.0.0.1",
      `--orchconfig=${join(dir, "client")}`,
      `--config=${join(dir, "config")}`,
      `--root-dir=${join(dir, "root")}`,
      `--cert-dir=${join(dir, "pki")}`,
      "--fail-swap-on=false",
    ],
  );
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  expect(await completeConfig(parsed.flags as never, parsed.explicit)).toMatchObject({
    nodeName: "node-b",
    nodeIPs: ["127.0.0.1"],
    api: { server: agent.api.url },
    settings: { maxPods: 9 },
    rootDir: join(dir, "root"),
  });
});
