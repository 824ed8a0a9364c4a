import { readFileSync } from "node:fs";
import { request } from "node:https";
import { poll, type TestApiServer } from "@orchernetes/testkit";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  issueClientCertificate,
} from "@orchernetes/tls";
import { beforeAll, expect, test } from "vitest";
import { testCluster } from "./test-cluster.ts";

const cluster = testCluster("authentication-lookup");
let clientCa: CertificateAuthority;
let proxyCa: CertificateAuthority;
let server: TestApiServer;
let clientCaFile: string;

beforeAll(async () => {
  clientCa = await createCertificateAuthority({ commonName: "clients" });
  proxyCa = await createCertificateAuthority({ commonName: "proxies" });
  clientCaFile = cluster.file("clients.crt", clientCa.certPem);
  server = await cluster.startServer({
    flags: [
      `--client-ca-file=${clientCaFile}`,
      `--requestheader-client-ca-file=${cluster.file("proxies.crt", proxyCa.certPem)}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
    ],
  });
}, 90_000);

/** Starts a manager with hardly anything to do, and returns its port once it serves. */
async function startManager(...flags: readonly string[]): Promise<number> {
  const lookup = `--authentication-orchconfig=${server.clientConfig}`;
  const port = await cluster.startManager(server, lookup, "--controllers=csrcleaner", ...flags);
  const isHealthy = async () => (await get(port, "/healthz").catch(() => 0)) === 200;
  await poll({ what: "the manager", timeoutMs: 30_000, intervalMs: 50 }, isHealthy);
  return port;
}

function get(port: number, path: string, pair?: CertificatePair, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<number>((resolve, reject) => {
    const tls = pair === undefined ? {} : { cert: pair.certPem, key: pair.keyPem };
    const options = { host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false, headers, ...tls };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

const masters = { commonName: "admin", organizations: ["system:masters"] };

test("clients and front proxies are those of the API server, without an authority on the command line", async () => {
  const port = await startManager();
  const [admin, front, back, stranger] = await Promise.all([
    issueClientCertificate(clientCa, masters),
    issueClientCertificate(proxyCa, { commonName: "front" }),
    issueClientCertificate(proxyCa, { commonName: "back" }),
    issueClientCertificate(await createCertificateAuthority({ commonName: "other" }), masters),
  ]);
  const named = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" };
  expect(await get(port, "/metrics")).toBe(403);
  expect(await get(port, "/metrics", admin)).toBe(200);
  expect(await get(port, "/metrics", front, named)).toBe(200);
  expect(await get(port, "/metrics", back, named)).toBe(401);
  expect(await get(port, "/metrics", stranger)).toBe(401);
});

test("a running daemon trusts an authority that is added to those of the API server", async () => {
  const port = await startManager();
  const added = await createCertificateAuthority({ commonName: "added" });
  const admin = await issueClientCertificate(added, masters);
  expect(await get(port, "/metrics", admin)).toBe(401);
  cluster.file("clients.crt", readFileSync(clientCaFile, "utf8") + added.certPem);
  await server.restart();
  await poll({ what: "the new authority", timeoutMs: 60_000, intervalMs: 200 }, async () => {
    return (await get(port, "/metrics", admin)) === 200;
  });
}, 90_000);

test("with --authentication-skip-lookup no certificate authenticates", async () => {
  const port = await startManager("--authentication-skip-lookup");
  expect(await get(port, "/metrics", await issueClientCertificate(clientCa, masters))).toBe(403);
});
