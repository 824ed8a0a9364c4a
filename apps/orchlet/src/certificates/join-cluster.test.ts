import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadClientConfig } from "@orchernetes/client";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueClientCertificate,
  parseCertificateRequest,
  signCertificateRequest,
  type Usage,
} from "@orchernetes/tls";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clientStateOf, materialOf, withoutCredentials } from "../config/bootstrap.ts";
import { CertificateStore } from "./certificate-store.ts";
import { joinCluster } from "./join-cluster.ts";
import { clientCertificate } from "./wanted-certificate.ts";
import { writeClientConfig } from "./write-client-config.ts";

const requests = "/apis/certificates.o8s.io/v1/certificatesigningrequests";

let dir: string;
let ca: CertificateAuthority;
let api: FakeApiServer;
let stop: AbortController;
let bootstrap: { source: string; target: string };
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-join-"));
  ca = await createCertificateAuthority({ commonName: "nodes" });
  api = await startFakeApiServer();
  stop = new AbortController();
  bootstrap = { source: join(dir, "bootstrap"), target: join(dir, "conf", "orchconfig") };
  writeBootstrap("abcdef.0123456789abcdef");
});
afterEach(async () => {
  stop.abort();
  await api.close();
  rmSync(dir, { recursive: true });
});

function writeBootstrap(token: string, server = api.url): void {
  const config = {
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(bootstrap.source, JSON.stringify(config));
}

const storeOf = () => new CertificateStore(join(dir, "pki"), "orchlet-client");

function start(signal = stop.signal) {
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (error: unknown) => void errors.push(String(error)) };
  const joined = joinCluster({
    ...{ bootstrap, wanted: clientCertificate("n"), store: storeOf(), clock: systemClock, logger, signal },
  });
  return { joined, errors };
}

function signed({ request, usages }: { readonly request: string; readonly usages: readonly Usage[] }): object {
  const parsed = parseCertificateRequest(Buffer.from(request, "base64").toString());
  const certificate = signCertificateRequest(ca, parsed, { usages, validityMs: 3_600_000 });
  return {
    conditions: [{ type: "Approved", status: "True" }],
    certificate: Buffer.from(certificate).toString("base64"),
  };
}
const answer = (status: (spec: never) => object): void => {
  api.prepare = (_, object): FakeObject => ({ ...object, status: status(object.spec as never) });
};

// shows: --bootstrap-orchconfig, --orchconfig
test("a node joins with a token; its client configuration names one file with the certificate and the key", async () => {
  answer(signed);
  expect(await start().joined).toBe(true);
  const [request] = api.objects(requests);
  expect(request?.metadata.name).toMatch(/^node-csr-[\w-]{43}$/);
  expect(request?.spec).toMatchObject({
    signerName: "orchernetes.io/orch-apiserver-client-orchlet",
    usages: ["digital signature", "client auth"],
  });
  expect(api.requests[0]?.headers.authorization).toBe("Bearer abcdef.0123456789abcdef");
  const current = storeOf().current;
  expect(JSON.parse(readFileSync(bootstrap.target, "utf8"))).toMatchObject({
    clusters: [{ name: "default-cluster", cluster: { server: api.url } }],
    users: [{ name: "default-auth", user: { "client-certificate": current, "client-key": current } }],
    "current-context": "default-context",
  });
  expect(statSync(bootstrap.target).mode & 0o777).toBe(0o600);
  expect(existsSync(join(dir, "pki", "orchlet-client.key.tmp"))).toBe(false);
  const { cert, key } = materialOf(loadClientConfig(bootstrap.target))();
  expect([String(cert), String(key)]).toEqual([readFileSync(current, "utf8"), readFileSync(current, "utf8")]);
  expect(clientStateOf(bootstrap.target, loadClientConfig, Date.now())).toEqual({ type: "usable" });
  expect(clientStateOf(bootstrap.target, loadClientConfig, Date.now() + 2 * 3_600_000)).toEqual({
    type: "unusable",
    reason: expect.stringContaining(`"${current}": the certificate expired at`),
  });
});

test("an agent that was interrupted continues its request with the same key", async () => {
  const first = new AbortController();
  const interrupted = start(first.signal).joined;
  await vi.waitFor(() => expect(api.objects(requests)).toHaveLength(1));
  first.abort();
  expect(await interrupted).toBe(false);
  const kept = join(dir, "pki", "orchlet-client.key.tmp");
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  const [request] = api.objects(requests);
  if (request !== undefined) api.put(requests, { ...request, status: signed(request.spec as never) });
  expect(await start().joined).toBe(true);
  expect(api.objects(requests)).toHaveLength(1);
  expect(existsSync(kept)).toBe(false);
});

test("a request that was denied is repeated with another key", async () => {
  answer(() =>
    api.objects(requests).length === 0 ? { conditions: [{ type: "Denied", status: "True", reason: "No" }] } : {},
  );
  const { joined, errors } = start();
  await vi.waitFor(() => expect(errors[0]).toMatch(/is denied, reason: No/));
  answer(signed);
  expect(await joined).toBe(true);
  expect(new Set(api.objects(requests).map(({ metadata }) => metadata.name)).size).toBe(2);
});

const approved = (certificate: string): object => ({
  conditions: [{ type: "Approved", status: "True" }],
  certificate: Buffer.from(certificate).toString("base64"),
});

test.each<[string, () => Promise<string>, RegExp]>([
  ["garbage", async () => "garbage", /cannot be used: .*no certificate found/],
  [
    "PEM around garbage",
    async () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    /cannot be used: /,
  ],
  [
    "a certificate for another key",
    async () =>
      (await issueClientCertificate(ca, { commonName: "system:node:n", organizations: ["system:nodes"] })).certPem,
    /cannot be used: .*private key does not belong/,
  ],
])("a request that is answered with %s is repeated with another key", async (_, certificate, error) => {
  const lie = approved(await certificate());
  answer(() => lie);
  const { joined, errors } = start();
  await vi.waitFor(() => expect(errors[0]).toMatch(error));
  answer(signed);
  expect(await joined).toBe(true);
  expect(new Set(api.objects(requests).map(({ metadata }) => metadata.name)).size).toBeGreaterThanOrEqual(2);
});

test("a certificate with thousands of authorities is read quickly", async () => {
  const chain = ca.certPem.repeat(2000);
  answer((spec) => {
    const { certificate } = signed(spec) as { readonly certificate: string };
    return approved(`${Buffer.from(certificate, "base64")}\n${chain}`);
  });
  const begun = performance.now();
  expect(await start().joined).toBe(true);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("a request with the same name for another key is not used", async () => {
  answer(signed);
  const foreign = await start().joined;
  expect(foreign).toBe(true);
  const [request] = api.objects(requests);
  if (request === undefined) throw new Error("there is no request");
  const name = `${request.metadata.name}`;
  rmSync(bootstrap.target);
  // The next request gets the name of this one, as if somebody had foreseen it.
  let once = false;
  api.hook = ({ method, path }) => {
    if (method !== "POST" || path !== requests || once) return undefined;
    once = true;
    return { status: 409, body: { kind: "Status", status: "Failure", reason: "AlreadyExists", code: 409 } };
  };
  const hookGet = api.hook;
  api.hook = (seen) =>
    seen.method === "GET" && seen.path.startsWith(`${requests}/node-csr-`)
      ? { status: 200, body: { ...request, metadata: { ...request.metadata, name } } }
      : hookGet(seen);
  const { joined, errors } = start();
  expect(await joined).toBe(true);
  expect(errors).toEqual([expect.stringMatching(/exists and is for another key or signer/)]);
});

test("the agent retries while the server is unavailable or the token has expired, and reads a new token", async () => {
  answer(signed);
  api.hook = ({ headers }) =>
    headers.authorization === "Bearer fresh0.0123456789abcdef"
      ? undefined
      : { status: 401, body: { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401 } };
  const { joined, errors } = start();
  await vi.waitFor(() => expect(errors).toHaveLength(1));
  writeBootstrap("fresh0.0123456789abcdef");
  expect(await joined).toBe(true);
});

test.each<[string, () => Promise<string>]>([
  ["is missing", async () => ""],
  ["is junk", async () => "junk"],
  [
    "has a token alone",
    async () => {
      writeBootstrap("a");
      return readFileSync(bootstrap.source, "utf8");
    },
  ],
])("a client configuration that %s is replaced", async (_, text) => {
  const content = await text();
  if (content !== "") {
    mkdirSync(join(dir, "conf"));
    writeFileSync(bootstrap.target, content);
  }
  expect(clientStateOf(bootstrap.target, loadClientConfig, Date.now()).type).not.toBe("usable");
});

test("until a node has joined, its client trusts the same authority, and has no credentials", async () => {
  const { certPem, keyPem } = await issueClientCertificate(ca, { commonName: "bootstrapper" });
  const tls = { ca: ca.certPem, cert: certPem, key: keyPem };
  const without = withoutCredentials({ server: "https://127.0.0.1:1", token: "t", tls });
  const material = materialOf(without);
  expect(without).toEqual({ server: "https://127.0.0.1:1", tls: expect.any(Function) });
  expect(material()).toEqual({ ca: ca.certPem });
  expect(material()).toBe(material());
});

test("the written configuration trusts the server in the same way", () => {
  const caFile = join(dir, "ca.crt");
  writeFileSync(caFile, ca.certPem);
  const cluster = { server: "https://a:1", "certificate-authority": caFile, "tls-server-name": "b" };
  const config = {
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(bootstrap.source, JSON.stringify(config));
  writeClientConfig({ ...bootstrap, pair: "/pki/pair.pem" });
  expect(JSON.parse(readFileSync(bootstrap.target, "utf8")).clusters).toEqual([{ name: "default-cluster", cluster }]);
  expect(readFileSync(bootstrap.target, "utf8")).not.toContain('"t"');
});
