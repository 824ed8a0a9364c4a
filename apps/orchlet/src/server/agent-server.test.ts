import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { connect as connectNet } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { createHealth, createMetrics, type SecureServing } from "@orchernetes/component";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { machineInfo } from "../node/machine-info.ts";
import { openUsageSource } from "../stats/usage-source.ts";
import { createFakeRuntime } from "../testing/runtime.ts";
import { type AgentServerOptions, createAgentServer } from "./agent-server.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-agent-server-"));
const certFile = join(dir, "serving.crt");
const keyFile = join(dir, "serving.key");
const caFile = join(dir, "ca.crt");
const stop = new AbortController();
let servingCa: CertificateAuthority;
let kept: CertificateAuthority;
let removed: CertificateAuthority;
let serving: SecureServing;
const metrics = createMetrics();
const levels: number[] = [];

async function writeServing(commonName: string): Promise<void> {
  const pair = await issueServerCertificate(servingCa, { commonName, hosts: ["127.0.0.1"] });
  writeFileSync(keyFile, pair.keyPem);
  writeFileSync(certFile, pair.certPem);
}

beforeAll(async () => {
  [servingCa, kept, removed] = await Promise.all([
    createCertificateAuthority({ commonName: "serving" }),
    createCertificateAuthority({ commonName: "kept" }),
    createCertificateAuthority({ commonName: "removed" }),
  ]);
  await writeServing("before");
  writeFileSync(caFile, kept.certPem + removed.certPem);
  const parsed = orchletConfigurationSchema.parse({
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    address: "127.0.0.1",
    tlsCertFile: certFile,
    tlsPrivateKeyFile: keyFile,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false }, x509: { clientCAFile: caFile } },
    authorization: { mode: "AlwaysAllow" },
  });
  const settings = { ...parsed, port: 0 };
  const { cri } = createFakeRuntime();
  const machine = await machineInfo(dir);
  const usage = openUsageSource({
    ...{ cri, machine, settings, nodeName: "n", rootDir: dir, clock: systemClock, runtimeCgroups: "", swap: false },
    logs: () => dir,
    podOf: () => undefined,
  });
  serving = await createAgentServer({
    config: {
      settings,
      nodeName: "n",
      certDir: dir,
      rootDir: dir,
      featureEnabled: (gate: string) => gate === "ContainerCheckpoint",
    },
    ...{ cri, machine, usage },
    client: undefined,
    manager: { list: () => [], find: () => undefined },
    metrics,
    tracer: undefined,
    health: createHealth({ logger: silentLogger }),
    logger: silentLogger,
    signal: stop.signal,
    clock: systemClock,
    setVerbosity: (level: number) => levels.push(level),
    logRoot: dir,
  } as unknown as AgentServerOptions);
});
afterAll(async () => {
  await serving?.close();
  stop.abort();
  rmSync(dir, { recursive: true });
});

/** A connection that is kept open, and what it is answered. */
async function open(client: CertificatePair | undefined) {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  let socket: TLSSocket | undefined;
  const call = async (method: string, path: string): Promise<number> => {
    const request = https.request({
      host: "127.0.0.1",
      port: serving.port,
      method,
      path,
      agent,
      ca: servingCa.certPem,
      ...(client && { cert: client.certPem, key: client.keyPem }),
    });
    request.on("socket", (used) => {
      socket = used as TLSSocket;
    });
    request.end();
    const [response] = await once(request, "response");
    response.resume();
    await once(response, "end");
    return response.statusCode;
  };
  return { call, closed: () => socket?.destroyed, end: () => agent.destroy() };
}

const clientOf = (ca: CertificateAuthority) => issueClientCertificate(ca, { commonName: "api" });

test("a client without a certificate of the authority gets no response", async () => {
  const nobody = await open(undefined);
  expect(await nobody.call("GET", "/configz")).toBe(401);
  nobody.end();
});

test.each([
  ["GET", "/run/ns/p/c?cmd=id", 405],
  ["GET", "/%72un/ns/p/c?cmd=id", 405],
  ["HEAD", "/run/ns/p/c?cmd=id", 405],
  ["PUT", "/exec/ns/p/c?command=id", 405],
  ["DELETE", "/pods", 405],
  ["GET", "/pods", 200],
  ["GET", "/pods/", 200],
  ["GET", "/pods//", 404],
  ["GET", "/Pods", 404],
  ["GET", "/%70ods", 404],
  ["POST", "/metrics", 200],
  ["OPTIONS", "/metrics", 200],
  ["OPTIONS", "/nothing", 404],
  ["GET", "/healthz", 200],
  ["GET", "/healthz/ping", 404],
  ["GET", "/debug/pprof/", 200],
  ["GET", "/configz", 200],
  ["GET", "/runningpods/", 200],
  ["GET", "/stats/summary", 200],
  ["GET", "/stats/summary?only_cpu_and_memory=true", 200],
  ["POST", "/stats/summary", 405],
  ["GET", "/metrics/cadvisor", 200],
  ["GET", "/metrics/probes", 200],
  ["GET", "/metrics/resource", 200],
  ["GET", "/logs/", 200],
  ["GET", "/logs", 301],
  ["GET", "/logs/nothing", 404],
  ["GET", "/logs/../ca.crt", 400],
  ["GET", "/logs/%2e%2e/ca.crt", 400],
  ["GET", "/logs/..%2fca.crt", 400],
  ["GET", "/l%6fgs/ca.crt", 200],
  ["POST", "/logs/ca.crt", 405],
  ["GET", "/logs/?query=x", 200],
  ["GET", "/debug/flags/v", 406],
  ["PUT", "/debug/flags/v", 400],
  ["GET", "/checkpoint/ns/p/c", 405],
  ["POST", "/checkpoint/ns/p/c", 404],
  ["POST", "/checkpoint/ns/p", 404],
  ["POST", "/run/ns/p/c?cmd=id", 404],
  ["POST", "/%72un/ns/p/c?cmd=id", 404],
  ["POST", "/run/ns/p", 404],
  ["GET", "/containerLogs/ns/p/c", 404],
  ["GET", "/containerLogs/ns/p/%", 404],
  ["GET", "/containerLogs/ns/p", 404],
  ["GET", "/exec/ns/p/c?command=id", 400],
  ["POST", "/exec", 400],
  ["GET", "/%65xec/ns/p/c", 400],
  ["GET", "/attach/ns/p/c/", 400],
  ["POST", "/portForward/ns/p", 400],
  ["GET", "/", 404],
])("%s %s is answered with %i", async (method, path, status) => {
  const client = await open(await clientOf(kept));
  expect(await client.call(method, path)).toBe(status);
  client.end();
});

test("the connection of a rejected upgrade is closed although its client stays", async () => {
  const halfOpen = connectNet({ host: "127.0.0.1", port: serving.port, allowHalfOpen: true });
  const socket = connect({ socket: halfOpen, host: "127.0.0.1", ca: servingCa.certPem });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  socket.write("GET /exec/ns/p/c HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 401 /);
  const begun = performance.now();
  const writing = setInterval(() => socket.write("more"), 100);
  await new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  clearInterval(writing);
  expect(performance.now() - begun).toBeLessThan(15_000);
}, 30_000);

test("requests are counted by a limited number of paths", async () => {
  const client = await open(await clientOf(kept));
  for (const path of ["/a", "/b/c", "/metrics/d", "/pods/", "/logs/x"]) await client.call("GET", path);
  client.end();
  const shown = metrics.render(new Set(["orchlet_http_requests_total"]));
  expect(shown).toMatch(/\{method="GET",path="other",server_type="readwrite",long_running="false"\} \d/);
  expect(shown).toMatch(/\{method="GET",path="pods",server_type="readwrite",long_running="false"\} \d/);
  expect(shown).not.toContain("/a");
  const waiting = metrics.render(new Set(["orchlet_http_inflight_requests"]));
  expect([...waiting.matchAll(/\} (\d+)$/gm)].map(([, count]) => count)).not.toContain("1");
});

// shows: authentication.x509.clientCAFile
test("removing an authority closes the connections of its clients, and no others", async () => {
  const [stays, leaves] = await Promise.all([open(await clientOf(kept)), open(await clientOf(removed))]);
  expect([await stays.call("GET", "/configz"), await leaves.call("GET", "/configz")]).toEqual([200, 200]);
  writeFileSync(caFile, kept.certPem);
  await expect.poll(leaves.closed, { timeout: 30_000, interval: 50 }).toBe(true);
  expect([stays.closed(), await stays.call("GET", "/configz")]).toEqual([false, 200]);
  stays.end();
  leaves.end();
}, 40_000);

// shows: tlsCertFile, tlsPrivateKeyFile
test("a changed serving certificate is served without a restart", async () => {
  await writeServing("after");
  const name = async (): Promise<string> => {
    const socket = connect({ host: "127.0.0.1", port: serving.port, ca: servingCa.certPem });
    await once(socket, "secureConnect");
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  };
  await expect.poll(name, { timeout: 30_000, interval: 200 }).toBe("after");
}, 40_000);
