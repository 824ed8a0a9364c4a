import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
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
  serving = await createAgentServer({
    config: { settings: { ...parsed, port: 0 }, nodeName: "n", certDir: dir, rootDir: dir },
    client: undefined,
    manager: { list: () => [], find: () => undefined },
    metrics: createMetrics(),
    tracer: undefined,
    health: createHealth({ logger: silentLogger }),
    logger: silentLogger,
    signal: stop.signal,
    clock: systemClock,
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

test("without a certificate of the authority nothing is answered", async () => {
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

test("a removed authority ends the connections of its clients, and only those", async () => {
  const [stays, leaves] = await Promise.all([open(await clientOf(kept)), open(await clientOf(removed))]);
  expect([await stays.call("GET", "/configz"), await leaves.call("GET", "/configz")]).toEqual([200, 200]);
  writeFileSync(caFile, kept.certPem);
  await expect.poll(leaves.closed, { timeout: 30_000, interval: 50 }).toBe(true);
  expect([stays.closed(), await stays.call("GET", "/configz")]).toEqual([false, 200]);
  stays.end();
  leaves.end();
}, 40_000);

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
