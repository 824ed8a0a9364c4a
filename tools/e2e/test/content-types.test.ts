import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apps, coordination, core, events as eventsApi } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { createProcessRuntime } from "@orchernetes/cri/process-runtime";
import {
  type DaemonName,
  freePort,
  poll,
  type RunningDaemon,
  startApiServer,
  startDaemon,
  type TestApiServer,
} from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RecordingProxy, type SeenRequest, startRecordingProxy } from "../src/recording-proxy.ts";

const protobuf = "application/vnd.orchernetes.protobuf";
const flag = `--orch-api-content-type=${protobuf}`;

let dir: string;
let server: TestApiServer;
let proxy: RecordingProxy;
let runtime: Awaited<ReturnType<typeof createProcessRuntime>>;
let admin: Client;
const daemons: RunningDaemon[] = [];

/** A folder of its own. */
const folder = (name: string): string => {
  mkdirSync(join(dir, name), { recursive: true });
  return join(dir, name);
};

async function start(name: DaemonName, flags: readonly string[]): Promise<void> {
  const client = [`--orchconfig=${join(dir, "client")}`, flag];
  daemons.push(await startDaemon({ name, flags: [...client, ...flags], dir }));
}

const controlPlane = async (): Promise<readonly string[]> => [
  "--bind-address=127.0.0.1",
  `--secure-port=${await freePort()}`,
  `--cert-dir=${folder("pairs")}`,
];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-content-"));
  server = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
  admin = server.client();
  proxy = await startRecordingProxy(server.url, readFileSync(server.caFile));
  const config = readFileSync(server.clientConfig, "utf8").replaceAll(server.url, proxy.url);
  writeFileSync(join(dir, "client"), config, { mode: 0o600 });
  runtime = await createProcessRuntime({ socketPath: join(dir, "cri.sock"), rootDir: folder("runtime") });
  await start("orch-controller-manager", [...(await controlPlane()), "--use-service-account-credentials"]);
  await start("orch-scheduler", await controlPlane());
  await start("cloud-controller-manager", [...(await controlPlane()), "--cloud-provider=local"]);
  await start("orch-proxy", [
    "--proxy-mode=userspace",
    "--oom-score-adj=0",
    "--hostname-override=node-a",
    `--healthz-bind-address=127.0.0.1:${await freePort()}`,
    `--metrics-bind-address=127.0.0.1:${await freePort()}`,
  ]);
  await start("orchlet", [
    "--hostname-override=node-a",
    "--address=127.0.0.1",
    `--port=${await freePort()}`,
    "--healthz-port=0",
    `--container-runtime-endpoint=${runtime.endpoint}`,
    `--root-dir=${folder("orchlet")}`,
    `--cert-dir=${folder("pki")}`,
    "--fail-swap-on=false",
    "--cgroups-per-qos=false",
    "--enforce-node-allocatable=none",
  ]);
}, 180_000);

afterAll(async () => {
  await Promise.all(daemons.map((daemon) => daemon.stop()));
  proxy?.close();
  await runtime?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

/** What a daemon has sent that writes or reads objects of built-in kinds. */
const sentBy = (agent: string): readonly SeenRequest[] =>
  proxy.requests.filter((seen) => seen.agent === agent && /^\/apis?\/[^?]*v1(beta\d)?\/[a-z]/.test(seen.path));

const isBodyOf = ({ method }: SeenRequest): boolean => method === "POST" || method === "PUT";
const inWords = ({ method, path, contentType, responseType, status }: SeenRequest): string =>
  `${method} ${path} ${contentType ?? ""} ${status} ${responseType}`;

// shows: contentType
test("a pod of a ReplicaSet is created, scheduled and run while every daemon uses protobuf", async () => {
  const labels = { app: "web" };
  const spec = { containers: [{ name: "c", image: "localhost/busybox:1", command: ["sleep", "600"] }] };
  await admin.resource(apps.replicaSets).create({
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  await poll({ what: "a pod on the node", timeoutMs: 120_000 }, async () => {
    const { items } = await admin.resource(core.pods).namespace("default").list();
    return items.find((pod) => pod.spec.nodeName === "node-a" && pod.status.phase === "Running");
  });
  await poll({ what: "events", timeoutMs: 30_000 }, async () => {
    const { items } = await admin.resource(eventsApi.events).namespace("default").list();
    return ["Scheduled", "SuccessfulCreate"].every((reason) => items.some((event) => event.reason === reason));
  });
  const leases = await admin.resource(coordination.leases).list();
  expect(leases.items.map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(["node-a", "orch-scheduler", "orch-controller-manager", "cloud-controller-manager"]),
  );
}, 180_000);

test.each(["orch-scheduler", "orch-controller-manager", "cloud-controller-manager", "orch-proxy", "orchlet"] as const)(
  "%s asks for protobuf, gets it, and sends it",
  (agent) => {
    const sent = sentBy(agent);
    const reads = sent.filter(({ method, path }) => method === "GET" && !path.includes("/log"));
    expect(reads.length).toBeGreaterThan(2);
    expect(reads.some(({ path }) => path.includes("watch=true"))).toBe(true);
    expect(sent.filter(({ status }) => status === 406 || status === 415)).toEqual([]);
    // Metadata alone has no protobuf form, and of some answers only the text is looked at.
    const asked = sent.filter(({ accept }) => accept?.startsWith(protobuf));
    expect(asked.length).toBeGreaterThan(sent.length / 2);
    expect(asked.filter((seen) => !seen.responseType?.startsWith(protobuf)).map(inWords)).toEqual([]);
    const bodies = sent.filter(isBodyOf);
    if (agent !== "orch-proxy") expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.filter(({ contentType }) => contentType !== protobuf).map(inWords)).toEqual([]);
  },
);
