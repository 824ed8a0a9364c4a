import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@orchernetes/client";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger, systemClock } from "@orchernetes/kernel";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueClientCertificate,
  parseCertificateRequest,
  signCertificateRequest,
  type Usage,
} from "@orchernetes/tls";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CertificateManager } from "./certificate-manager.ts";
import { measureCertificates } from "./certificate-metrics.ts";
import { CertificateStore } from "./certificate-store.ts";
import { clientCertificate, isAsWanted, rotationTimeMs, servingCertificate } from "./wanted-certificate.ts";

const requests = "/apis/certificates.o8s.io/v1/certificatesigningrequests";
const wanted = servingCertificate("n", ["10.0.0.1"]);

interface RequestSpec {
  readonly request: string;
  readonly usages: readonly Usage[];
}

let dir: string;
let ca: CertificateAuthority;
let api: FakeApiServer;
let client: Client;
let stop: AbortController;
let running: Promise<void>[];
beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), "o8s-certificates-")), "pki");
  ca = await createCertificateAuthority({ commonName: "nodes" });
  api = await startFakeApiServer();
  client = createClient({ server: api.url });
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  client.close();
  await api.close();
  rmSync(join(dir, ".."), { recursive: true });
});

/** The status of a request that was approved and signed. */
function signed({ request, usages }: RequestSpec, validityMs = 3_600_000): object {
  const parsed = parseCertificateRequest(Buffer.from(request, "base64").toString());
  const certificate = signCertificateRequest(ca, parsed, { usages, validityMs });
  return {
    conditions: [{ type: "Approved", status: "True" }],
    certificate: Buffer.from(certificate).toString("base64"),
  };
}

/** An approver that decides at once. */
const decide = (status: (spec: RequestSpec, index: number) => object) => {
  api.prepare = (_, object): FakeObject => ({
    ...object,
    status: status(object.spec as RequestSpec, api.objects(requests).length),
  });
};

function start(initial?: { readonly certPem: string; readonly keyPem: string }, identity = wanted) {
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (error: unknown) => void errors.push(String(error)) };
  const store = new CertificateStore(dir, "orchlet-server");
  const manager = new CertificateManager({ wanted: identity, store, initial, clock: systemClock, logger });
  running.push(manager.run(client, stop.signal));
  return { manager, errors, store };
}
const subjectOf = (pem = "") => new X509Certificate(pem);

// shows: serverTLSBootstrap, --cert-dir
test("a certificate is requested with the node's names, kept in a file of mode 0600, and used again after a restart", async () => {
  decide((spec) => signed(spec));
  const { manager, store } = start();
  await vi.waitFor(() => expect(manager.current()).toBeDefined());
  const [request] = api.objects(requests);
  expect(request?.spec).toMatchObject({
    signerName: "orchernetes.io/orchlet-serving",
    usages: ["digital signature", "server auth"],
  });
  const leaf = subjectOf(manager.current()?.certPem);
  expect([leaf.subject, leaf.subjectAltName]).toEqual([
    "O=system:nodes\nCN=system:node:n",
    "DNS:n, IP Address:10.0.0.1",
  ]);
  expect([statSync(store.current).mode & 0o777, statSync(dir).mode & 0o777]).toEqual([0o600, 0o700]);
  const again = start().manager;
  expect(again.current()?.certPem).toBe(manager.current()?.certPem);
  expect(again.rotationTimeMs()).toBeGreaterThan(Date.now());
  expect(api.objects(requests)).toHaveLength(1);
});

// shows: rotateCertificates
test("a certificate that expires is renewed, and the former key is deleted", async () => {
  decide((spec, index) => signed(spec, index === 0 ? 30_000 : 3_600_000));
  const { manager } = start();
  const changes: unknown[] = [];
  manager.onChange((_, former) => changes.push(former));
  // The authority dates certificates back, so most of the lifetime of a short-lived one is over.
  await vi.waitFor(() => expect(changes).toHaveLength(2), 10_000);
  expect(changes[0]).toBeUndefined();
  expect(readdirSync(dir).sort()).toEqual(
    ["orchlet-server-current.pem", expect.stringMatching(/^orchlet-server-2/)].sort(),
  );
});

test.each<[name: string, status: object, error: RegExp]>([
  [
    "denied",
    { conditions: [{ type: "Denied", status: "True", reason: "No", message: "not you" }] },
    /csr-\S+ is denied, reason: No, message: not you/,
  ],
  ["failed", { conditions: [{ type: "Failed", status: "True", reason: "R" }] }, /has failed, reason: R/],
  [
    "answered with nonsense",
    { conditions: [{ type: "Approved", status: "True" }], certificate: "eA==" },
    /no certificate found/,
  ],
])("if a request is %s, the agent has no certificate, and repeats the request", async (_name, status, error) => {
  decide((spec, index) => (index === 0 ? status : signed(spec)));
  const { manager, errors } = start();
  await vi.waitFor(() => expect(errors).toEqual([expect.stringMatching(error)]));
  expect(manager.current()).toBeUndefined();
  await vi.waitFor(() => expect(manager.current()).toBeDefined(), 10_000);
});

test("a certificate for another key or for other names is not used", async () => {
  const other = await issueClientCertificate(ca, { commonName: "somebody" });
  const lie = {
    conditions: [{ type: "Approved", status: "True" }],
    certificate: Buffer.from(other.certPem).toString("base64"),
  };
  decide(() => lie);
  const { manager, errors } = start();
  await vi.waitFor(() => expect(errors[0]).toMatch(/private key does not belong to the certificate/));
  expect([manager.current(), existsSync(dir)]).toEqual([undefined, false]);
});

test("a request that is deleted before its decision is repeated", async () => {
  const { errors } = start();
  await vi.waitFor(() => expect(api.objects(requests)).toHaveLength(1));
  // The watch must be there: a deletion before the list is not seen.
  await vi.waitFor(() => expect(api.requests.some(({ query }) => query.get("watch") === "true")).toBe(true));
  api.remove(requests, api.objects(requests)[0]?.metadata.name ?? "");
  await vi.waitFor(() => expect(errors[0]).toMatch(/was deleted before its decision/));
});

test("the certificate of the client configuration is used until the cluster has issued one", async () => {
  const initial = await issueClientCertificate(ca, { commonName: "system:node:n", organizations: ["system:nodes"] });
  const { manager } = start(initial, clientCertificate("n"));
  expect(manager.current()?.certPem).toBe(initial.certPem);
  await vi.waitFor(() => expect(api.objects(requests)).toHaveLength(1));
  expect(api.objects(requests)[0]?.spec).toMatchObject({
    signerName: "orchernetes.io/orch-apiserver-client-orchlet",
    usages: ["digital signature", "client auth"],
  });
  const [request] = api.objects(requests);
  if (request !== undefined) api.put(requests, { ...request, status: signed(request.spec as RequestSpec) });
  await vi.waitFor(() => expect(manager.current()?.certPem).not.toBe(initial.certPem));
});

test("an expired certificate in the store is not used if the client configuration has another", async () => {
  const nowMs = Date.now();
  const identity = { commonName: "system:node:n", organizations: ["system:nodes"] };
  const expired = await issueClientCertificate(ca, { ...identity, now: () => nowMs - 3_600_000, validityMs: 60_000 });
  const initial = await issueClientCertificate(ca, identity);
  const key = createPrivateKey(expired.keyPem);
  const pair = { ...expired, chain: [subjectOf(expired.certPem)], key };
  new CertificateStore(dir, "orchlet-server").save(pair, new Date(nowMs));
  expect(start(undefined, clientCertificate("n")).manager.current()?.certPem.trim()).toBe(expired.certPem.trim());
  expect(start(initial, clientCertificate("n")).manager.current()?.certPem).toBe(initial.certPem);
});

test("metrics show when certificates expire, how old replaced ones were, and failures", async () => {
  decide((spec, index) => {
    if (index === 0) return { conditions: [{ type: "Denied", status: "True" }] };
    return signed(spec, index === 1 ? 30_000 : 3_600_000);
  });
  const { manager } = start();
  const metrics = createMetrics();
  measureCertificates(metrics, { serving: manager, client: manager, clientLeaf: manager.leaf }, systemClock);
  const shown = () => metrics.render();
  expect(shown()).toContain("orchlet_certificate_manager_server_ttl_seconds +Inf");
  expect(shown()).toContain("orchlet_certificate_manager_client_expiration_renew_errors 0");
  await vi.waitFor(
    () => expect(shown()).toContain("orchlet_certificate_manager_server_rotation_seconds_count 1"),
    15_000,
  );
  expect(shown()).toContain("orchlet_certificate_manager_client_expiration_renew_errors 1");
  expect(shown()).toMatch(/orchlet_certificate_manager_server_ttl_seconds 3[0-9]{3}/);
});

test("a stored file without a certificate and key is replaced", async () => {
  decide((spec) => signed(spec));
  const first = start().manager;
  await vi.waitFor(() => expect(first.current()).toBeDefined());
  const store = new CertificateStore(dir, "orchlet-server");
  writeFileSync(store.current, "junk");
  const { manager, errors } = start();
  expect(errors).toEqual([expect.stringContaining("no certificate found")]);
  await vi.waitFor(() => expect(manager.current()).toBeDefined());
});

test("a certificate is renewed after 70 to 90 percent of its lifetime", async () => {
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  const { certPem } = await issueClientCertificate(ca, { commonName: "a", now: () => nowMs, validityMs: 1000 * 3600 });
  const leaf = subjectOf(certPem);
  const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  expect([rotationTimeMs(leaf, 0), rotationTimeMs(leaf, 1)]).toEqual([
    from + (to - from) * 0.7,
    from + (to - from) * (0.7 + 0.2),
  ]);
});

test.each([
  ["as it is", servingCertificate("n", ["10.0.0.1"]), true],
  ["with a further address", servingCertificate("n", ["10.0.0.1", "10.0.0.2"]), false],
  ["of another node", servingCertificate("m", ["10.0.0.1"]), false],
])("whether a certificate matches the request: %s", async (_name, asked, want) => {
  decide((spec) => signed(spec));
  const { manager } = start();
  await vi.waitFor(() => expect(manager.current()).toBeDefined());
  expect(isAsWanted(subjectOf(manager.current()?.certPem), asked)).toBe(want);
});

test("a certificate is renewed soon after a clock that was months behind is set", async () => {
  decide((spec) => signed(spec, 90 * 86_400_000));
  const first = start().manager;
  await vi.waitFor(() => expect(first.current()).toBeDefined());
  stop.abort();
  await Promise.all(running);
  stop = new AbortController();
  const requested = api.objects(requests).length;

  const clock = new FakeClock(new Date());
  const store = new CertificateStore(dir, "orchlet-server");
  const manager = new CertificateManager({ wanted, store, clock, logger: silentLogger });
  running = [manager.run(client, stop.signal)];
  await clock.advanceAsync(3_600_000);
  expect(api.objects(requests)).toHaveLength(requested);
  clock.setNow(new Date(clock.nowMs() + 85 * 86_400_000));
  await clock.advanceAsync(120_000);
  await vi.waitFor(() => expect(api.objects(requests).length).toBeGreaterThan(requested));
});
