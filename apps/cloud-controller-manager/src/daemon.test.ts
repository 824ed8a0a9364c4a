import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudProvider, CloudProviderTable } from "@orchernetes/cloud-provider";
import { FakeCloud } from "@orchernetes/cloud-provider/testing";
import { runDaemon } from "@orchernetes/component";
import { replaceServingFiles } from "@orchernetes/testkit";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cloudControllerManager } from "./daemon.ts";

let directory = "";
let api: Server;
const leases = new Map<string, { spec: { holderIdentity: string } }>();
let away = false;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "ccm-"));
  leases.clear();
  away = false;
  let version = 0;
  // As much of an API server as an election needs.
  api = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const answer = (code: number, body: object) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    const status = (code: number, reason: string) =>
      answer(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason });
    if (away) return status(500, "InternalError");
    const path = request.url ?? "";
    if (!path.includes("/leases")) return answer(201, { metadata: {} });
    const body = text === "" ? undefined : JSON.parse(text);
    const key = request.method === "POST" ? `${path}/${body.metadata.name}` : path;
    if (request.method === "GET" && !leases.has(key)) return status(404, "NotFound");
    if (body !== undefined)
      leases.set(key, { ...body, metadata: { ...body.metadata, resourceVersion: String(++version) } });
    return answer(200, leases.get(key) ?? {});
  });
  api.listen(0, "127.0.0.1");
  await once(api, "listening");
});
afterEach(async () => {
  vi.restoreAllMocks();
  api.closeAllConnections();
  api.close();
  await rm(directory, { recursive: true });
});

const master = () => `--master=http://127.0.0.1:${(api.address() as AddressInfo).port}`;

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function start(argv: readonly string[], providers: CloudProviderTable) {
  const seen = { err: "" };
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    seen.err += String(text);
    return true;
  });
  const io = {
    argv,
    stdout() {},
    stderr(text: string) {
      seen.err += text;
    },
    exitAfter() {},
  };
  return { seen, code: runDaemon(cloudControllerManager(providers), io) };
}

const table = (create: (config: string | undefined) => CloudProvider): CloudProviderTable => ({
  fake: async () => ({ create: ({ config }) => create(config) }),
});

const idle = table(() => ({
  name: "fake",
  run: (signal) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
}));

test.each<[string, readonly string[], CloudProviderTable, string]>([
  ["no provider", [], {}, "--cloud-provider cannot be empty: want the absolute path of a module"],
  [
    "no provider named",
    [],
    idle,
    "--cloud-provider cannot be empty: want --cloud-provider=fake or the absolute path of a module",
  ],
  [
    "an unknown provider",
    ["--cloud-provider=aws"],
    {},
    'unknown cloud provider "aws" for flag --cloud-provider: want the absolute path of a module',
  ],
  [
    "an unknown provider beside known ones",
    ["--cloud-provider=aws"],
    idle,
    'unknown cloud provider "aws" for flag --cloud-provider: want --cloud-provider=fake or the absolute path of a module',
  ],
  ["a name of Object", ["--cloud-provider=constructor"], idle, 'unknown cloud provider "constructor"'],
  [
    "a missing client configuration",
    ["--cloud-provider=fake", "--authorization-orchconfig=/nonexistent"],
    idle,
    "/nonexistent",
  ],
  [
    "a missing certificate",
    ["--cloud-provider=fake", "--tls-cert-file=/no.crt", "--tls-private-key-file=/no.key"],
    idle,
    "cannot be read: ENOENT",
  ],
  [
    "a missing file",
    ["--cloud-provider=fake", "--cloud-config=/nonexistent"],
    idle,
    '--cloud-config: "/nonexistent" cannot be read: ENOENT',
  ],
  [
    "an unknown feature",
    ["--cloud-provider=fake", "--feature-gates=Nope=true"],
    idle,
    "flag --feature-gates: unrecognized feature gate: Nope",
  ],
  [
    "election times that do not fit",
    ["--cloud-provider=fake", "--leader-elect-lease-duration=5s"],
    idle,
    'invalid value "5s" for flag --leader-elect-lease-duration: want more than --leader-elect-renew-deadline, which is',
  ],
])("%s ends with code 1 and says so", async (_name, argv, providers, message) => {
  const { code, seen } = start([master(), ...argv], providers);
  expect(await code).toBe(1);
  expect(seen.err).toMatch(/^cloud-controller-manager: /);
  expect(seen.err).toContain(message);
});

test("errors are told together", async () => {
  const { code, seen } = start(["--cloud-config=/nonexistent"], {});
  expect(await code).toBe(1);
  expect(
    seen.err
      .trimEnd()
      .split("\n")
      .map((line) => line.slice("cloud-controller-manager: ".length, 60)),
  ).toEqual([
    "--cloud-provider cannot be empty: ",
    expect.stringContaining("not in a cluster"),
    expect.stringContaining("--cloud-config"),
  ]);
});

test("a named provider works while this process leads; health and metrics are served; SIGTERM ends with 0", async () => {
  const port = await freePort();
  await writeFile(join(directory, "cloud.conf"), "region = a");
  const events: string[] = [];
  const providers = table((config) => ({
    name: "fake",
    run: (signal) =>
      new Promise<void>((resolve) => {
        events.push(`runs with ${config}`);
        signal.addEventListener("abort", () => {
          events.push("ends");
          resolve();
        });
      }),
    close: () => void events.push("closes"),
  }));
  const argv = [
    master(),
    "--cloud-provider=fake",
    `--cloud-config=${join(directory, "cloud.conf")}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
  ];
  const { code, seen } = start(argv, providers);
  await expect.poll(() => events, { timeout: 5000 }).toEqual(["runs with region = a"]);
  const lease = leases.get("/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/cloud-controller-manager");
  expect(lease?.spec.holderIdentity).toMatch(/_[0-9a-f-]{36}$/);
  const health = async (): Promise<string> => {
    const [response] = await once(
      httpsRequest({
        port,
        host: "127.0.0.1",
        path: "/healthz?verbose",
        rejectUnauthorized: false,
        agent: false,
      }).end(),
      "response",
    );
    let body = "";
    for await (const chunk of response) body += chunk;
    return body;
  };
  // The controllers start one after the other.
  await expect
    .poll(health, { timeout: 5000 })
    .toBe(
      "[+]ping ok\n[+]leaderElection ok\n[+]cloud-node ok\n[+]cloud-node-lifecycle ok\n[+]service ok\n[+]route ok\nhealthz check passed\n",
    );
  process.emit("SIGTERM");
  expect(await code).toBe(0);
  expect(events).toEqual(["runs with region = a", "ends", "closes"]);
  expect(
    lease === undefined
      ? ""
      : leases.get("/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/cloud-controller-manager")?.spec
          .holderIdentity,
  ).toBe("");
  expect(seen.err).toMatch(/^I\d{4} .*\] Serving securely/m);
});

test("replaced certificates and authorities count without a restart", async () => {
  const running: { code?: Promise<number> } = {};
  const report = await replaceServingFiles({
    dir: directory,
    port: await freePort(),
    path: "/metrics",
    async start(flags) {
      running.code = start([master(), "--cloud-provider=fake", ...flags], idle).code;
    },
  });
  expect(report).toEqual({
    before: ["first", "first of the name"],
    after: ["second", "second of the name"],
    answers: [200, 200],
    answersAfter: [200, 401],
    closed: [false, true],
  });
  process.emit("SIGTERM");
  expect(await running.code).toBe(0);
}, 90_000);

test("a provider that fails ends the process with code 1", async () => {
  const providers = table(() => ({ name: "fake", run: () => Promise.reject(new Error("no quota")) }));
  const { code, seen } = start(
    [master(), "--cloud-provider=fake", "--secure-port=0", "--leader-elect=false"],
    providers,
  );
  expect(await code).toBe(1);
  expect(seen.err).toContain('cloud-controller-manager ended err="no quota"');
});

test("a cloud that cannot tell this cluster's things from others' ends the process, unless that is allowed", async () => {
  const providers = table(() => ({ name: "fake", hasClusterID: false, run: () => Promise.reject(new Error("ran")) }));
  const argv = [master(), "--cloud-provider=fake", "--secure-port=0", "--leader-elect=false"];
  const refused = start(argv, providers);
  expect(await refused.code).toBe(1);
  expect(refused.seen.err).toContain("no ClusterID found");
  const allowed = start([...argv, "--allow-untagged-cloud"], providers);
  expect(await allowed.code).toBe(1);
  expect(allowed.seen.err).toContain("detected a cluster without a ClusterID");
  expect(allowed.seen.err).toContain('cloud-controller-manager ended err="ran"');
});

test("leadership that is lost ends the process with code 1", async () => {
  const times = [
    "--leader-elect-lease-duration=1s",
    "--leader-elect-renew-deadline=500ms",
    "--leader-elect-retry-period=50ms",
  ];
  const { code, seen } = start([master(), "--cloud-provider=fake", "--secure-port=0", ...times], idle);
  await expect.poll(() => leases.size, { timeout: 5000 }).toBe(1);
  away = true;
  expect(await code).toBe(1);
  expect(seen.err).toContain("leader election lost");
});

test("controllers that move run under a lock of their own, others under the main one, and those of another manager not at all", async () => {
  const providers = table(() => new FakeCloud());
  const file = join(directory, "migration.yaml");
  const head = "apiVersion: controllermanager.config.o8s.io/v1, kind: LeaderMigrationConfiguration, leaderName: moving";
  await writeFile(
    file,
    `{${head}, controllerLeaders: [{name: route, component: cloud-controller-manager}, {name: service}, {name: cloud-node, component: orch-controller-manager}]}`,
  );
  const lease = (name: string) => leases.get(`/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/${name}`);
  // Another manager holds the lock of the migration.
  const spec = { holderIdentity: "other", leaseDurationSeconds: 3, renewTime: "2024-01-01T00:00:00.000000Z" };
  const path = "/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/moving";
  leases.set(path, { metadata: { name: "moving", resourceVersion: "0" }, spec } as never);
  const { code, seen } = start(
    [
      master(),
      "--cloud-provider=fake",
      "--secure-port=0",
      "--leader-elect-retry-period=50ms",
      "--leader-elect-renew-deadline=900ms",
      "--leader-elect-lease-duration=1s",
      "--cluster-cidr=10.244.0.0/16",
      "--enable-leader-migration",
      `--leader-migration-config=${file}`,
    ],
    providers,
  );
  const started = () =>
    [...seen.err.matchAll(/\] Starting a controller controller="([^"]+)"/g)].map(([, name]) => name).sort();
  await expect.poll(started, { timeout: 5000 }).toEqual(["cloud-node-lifecycle"]);
  expect(lease("moving")?.spec.holderIdentity).toBe("other");
  // It is seen to expire.
  await expect.poll(started, { timeout: 5000 }).toEqual(["cloud-node-lifecycle", "route", "service"]);
  expect(lease("moving")?.spec.holderIdentity).toBe(lease("cloud-controller-manager")?.spec.holderIdentity);
  process.emit("SIGTERM");
  expect(await code).toBe(0);
  expect(lease("moving")?.spec.holderIdentity).toBe("");
}, 20_000);
