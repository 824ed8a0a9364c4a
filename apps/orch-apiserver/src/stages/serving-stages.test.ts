import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ApiServer } from "@orchernetes/apiserver";
import { parseFlags, type SecureServing } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Config, completeConfig } from "../config.ts";
import { apiserverFlags } from "../flags/index.ts";
import { apiMetrics } from "../metrics/api-metrics.ts";
import type { StartedHooks } from "../post-start/hooks.ts";
import { createApi } from "./api-stage.ts";
import { createBootstrap } from "./bootstrap-stage.ts";
import { type ConnectionsStage, createConnections } from "./connections-stage.ts";
import { createIdentity, type IdentityStage } from "./identity-stage.ts";
import { createPages } from "./pages-stage.ts";
import { createPolicy, type PolicyStage } from "./policy-stage.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { createServedResources, type ResourcesStage } from "./resources-stage.ts";
import { openPort } from "./serving-stage.ts";
import { openStorage, type StorageStage } from "./storage-stage.ts";

const externalAddress = "192.0.2.1:6443";
const folder = mkdtempSync(join(tmpdir(), "serving-stages-"));
const end = new AbortController();
let daemon: ServerProcess;
let storage: StorageStage;
let policy: PolicyStage;
let served: ResourcesStage;
let identity: IdentityStage;
let connections: ConnectionsStage;
let hooks: StartedHooks;
let pages: Awaited<ReturnType<typeof createPages>>;
let api: ApiServer;
let serving: SecureServing;

beforeAll(async () => {
  writeFileSync(join(folder, "tokens.csv"), 'admin-token,admin,u1,"system:masters"\n');
  const parsed = parseFlags(
    { name: "orch-apiserver", description: "x", version: { text: "v", raw: "v" } },
    apiserverFlags,
    [
      "--storage-backend=embedded",
      `--embedded-store-path=${folder}/store`,
      `--cert-dir=${folder}/certs`,
      "--bind-address=127.0.0.1",
      "--service-account-issuer=https://issuer.example",
      "--service-account-lookup=false",
      `--token-auth-file=${folder}/tokens.csv`,
      "--authorization-mode=RBAC",
      "--service-cluster-ip-range=10.0.0.0/24",
    ],
  );
  if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
  const config = await completeConfig(parsed.flags);
  const signals = { stopping: end.signal, ended: end.signal };
  // The flag takes no port 0, the listener does: a free one.
  const free: Config = { ...config, flags: { ...config.flags, "secure-port": 0 } };
  daemon = await startProcess(free, { logger: silentLogger, explicit: new Set() }, signals);
  storage = await openStorage(daemon);
  policy = createPolicy(daemon, storage);
  served = await createServedResources(daemon, storage, policy);
  const { registry } = served.resources;
  identity = await createIdentity(daemon, registry);
  connections = await createConnections(daemon, served, registry);
  const parts = {
    storage,
    identity,
    connections,
    flowControl: undefined,
    externalAddress,
    storageVersions: undefined,
  };
  hooks = createBootstrap(daemon, { ...parts, policy, endpoints: undefined });
  pages = await createPages(daemon, { ...parts, registry, hooks });
  const measured = apiMetrics(daemon.metrics, () => undefined, served.admissionMetrics);
  api = createApi(daemon, { ...parts, policy, resources: served.resources, measured, pages, audit: undefined });
  serving = await openPort(daemon, api, identity);
});
afterAll(async () => {
  await serving.drain(0);
  end.abort();
  await storage.stores.close();
  rmSync(folder, { recursive: true });
});

/** GET over TLS as an administrator, or without credentials. The server's own certificate is not checked. */
async function get(
  path: string,
  token?: string,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const options = { host: "127.0.0.1", port: serving.port, path, rejectUnauthorized: false, agent: false };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return await new Promise((resolve, reject) => {
    request({ ...options, headers }, async (response) => {
      resolve({ status: response.statusCode, body: await text(response) });
    })
      .on("error", reject)
      .end();
  });
}

test("identity: the server accepts tokens that it issues, and rejects those with another signature", async () => {
  const subject = { namespace: "default", name: "web", uid: "u1" };
  const audiences = ["https://issuer.example"];
  const { token } = await identity.issuer.issue({ subject, audiences: [], lifetimeSeconds: 600 });
  expect(await identity.tokens.authenticateToken(token, audiences)).toMatchObject({
    user: { name: "system:serviceaccount:default:web" },
  });
  const forged = token.replace(/[^.]+$/, "c2ln");
  expect(await identity.tokens.authenticateToken(forged, audiences)).toHaveProperty("type", "rejected");
});

test.each([
  ["its own port", "127.0.0.1", 0],
  ["the cluster IP of its service", "10.0.0.1", 443],
])("connections: the server does not connect to %s", async (_name, host, port) => {
  const { destinations } = connections;
  await expect(destinations.resolve(host, port, "any", "a test")).rejects.toThrow();
  expect(await destinations.resolve(host, port + 1, "any", "a test")).toMatchObject({ port: port + 1 });
});

test("connections: no group is served by an extension server before an APIService is read", () => {
  expect(connections.aggregation.aggregator.groupVersions()).toEqual([]);
});

test("bootstrap: every hook has a check of its own, which fails until the hook has run", () => {
  const names = hooks.checks.map(({ name }) => name);
  expect(names).toContain("poststarthook/rbac/bootstrap-roles");
  expect(new Set(names).size).toBe(names.length);
  for (const { check } of hooks.checks) expect(() => check(end.signal)).toThrow("not finished");
});

test.each([
  ["/healthz/ping", "an administrator", 200, "ok"],
  ["/metrics", "an administrator", 200, "process_cpu_seconds_total"],
  ["/version", "an administrator", 200, '"gitVersion"'],
  ["/.well-known/openid-configuration", "an administrator", 200, "https://issuer.example"],
  ["/openid/v1/jwks", "an administrator", 200, '"ES256"'],
  ["/nothing", "an administrator", 404, ""],
  ["/metrics", "nobody", 403, 'User \\"system:anonymous\\" cannot get path \\"/metrics\\"'],
  ["/api/v1/pods", "nobody", 403, '"reason":"Forbidden"'],
  ["/metrics", "an unknown token", 401, '"reason":"Unauthorized"'],
])("pages, api and serving: GET %s by %s is answered with %i", async (path, who, status, want) => {
  const tokens: Readonly<Record<string, string>> = { "an administrator": "admin-token", "an unknown token": "x" };
  const response = await get(path, tokens[who]);
  expect(response.status).toBe(status);
  expect(response.body).toContain(want);
});
