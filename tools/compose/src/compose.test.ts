import { X509Certificate } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAMS } from "@orchernetes/build";
import { startApiServer } from "@orchernetes/testkit";
import { certificateIdentity } from "@orchernetes/tls";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { setUpAccess } from "./access.ts";
import { ensureCertificates } from "./certificates.ts";
import { writeConfigurations } from "./configurations.ts";
import { giveToServices, SERVICE_USER } from "./owners.ts";

const dir = mkdtempSync(join(tmpdir(), "compose-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const { ca } = await ensureCertificates(dir);
await writeConfigurations(dir, ca);

interface Service {
  readonly user?: string;
  readonly build: {
    readonly context: string;
    readonly dockerfile?: string;
    readonly args?: { readonly PROGRAM: string; readonly BASE?: string; readonly USER?: string };
  };
  readonly command: string;
  readonly volumes: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
}
const file = readFileSync(join(import.meta.dirname, "../docker-compose.yml"), "utf8");
const { services } = parse(file, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
const rows = Object.entries(services);
const credentials = "/etc/orchernetes";
const folderOf = (service: string): string => join(dir, "services", service);
/** Paths below /etc/orchernetes that a text names. */
const namedIn = (text: string): readonly string[] =>
  [...text.matchAll(/\/etc\/orchernetes\/([\w.-]+)/g)].map(([, name = ""]) => name);

test.each(rows)("%s runs an image of a program of this workspace, or of a Dockerfile here", (_, { build }) => {
  const { context, dockerfile, args } = build;
  if (dockerfile !== undefined) {
    const text = readFileSync(join(import.meta.dirname, "..", context, dockerfile), "utf8");
    expect(text).toMatch(/^FROM \S+@sha256:[0-9a-f]{64}$/m);
    return;
  }
  expect(context).toBe("../../dist/images");
  expect(PROGRAMS.map(({ name }) => name)).toContain(args?.PROGRAM);
  expect(args?.BASE ?? "").toMatch(/^$|@sha256:[0-9a-f]{64}$/);
});

test.runIf(process.getuid?.() === 0)("services without rights own their files and the store, and nothing else", () => {
  const copy = mkdtempSync(join(tmpdir(), "compose-owners-"));
  try {
    cpSync(dir, copy, { recursive: true });
    giveToServices(copy);
    const owner = (path: string): number => statSync(join(copy, path)).uid;
    const theirs = [
      "store",
      "services/orch-apiserver",
      "services/orch-apiserver/serving.key",
      "services/access/admin.orchconfig",
    ];
    expect(theirs.map(owner)).toEqual(theirs.map(() => SERVICE_USER));
    expect(["pki", "pki/ca.key", "services/node-1", "services/etcd/serving.key"].map(owner)).toEqual([0, 0, 0, 0]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test.each(rows)("%s depends on services that are there", (_, { depends_on = {} }) => {
  for (const name of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
    expect(services).toHaveProperty(name);
});

describe.each(rows.filter(([name]) => name !== "certificates"))("%s", (name, service) => {
  const { volumes, command } = service;

  test("sees its own credentials alone, and cannot change them", () => {
    const mine = volumes.filter((volume) => volume.includes(`:${credentials}`));
    expect(mine).toEqual(name === "process-runtime" ? [] : [`./data/services/${name}:${credentials}:ro`]);
    for (const volume of volumes) expect(volume).not.toMatch(/^\.\/data(\/(pki|services)?)?\/?:/);
  });

  test("has the files that it names, and no others", () => {
    const wanted = new Set(namedIn(JSON.stringify(service)));
    if (name === "orch-apiserver")
      for (const more of namedIn(file.split("name: orchernetes")[0] ?? "")) wanted.add(more);
    if (name === "node-1")
      for (const more of namedIn(readFileSync(join(folderOf(name), "orchlet.yaml"), "utf8"))) wanted.add(more);
    const found = existsSync(folderOf(name)) ? readdirSync(folderOf(name)) : [];
    expect(found.sort()).toEqual([...wanted].sort());
    if (found.length > 0) expect(statSync(folderOf(name)).mode & 0o777).toBe(0o700);
  });

  test("names no state that it does not mount", () => {
    const state = (command.match(/\/var\/lib\/[\w./-]+/g) ?? []) as readonly string[];
    for (const path of state)
      expect(
        volumes.some((volume) => path.startsWith(volume.split(":")[1] ?? "-")),
        path,
      ).toBe(true);
  });
});

test("the keys of authorities are with no service", () => {
  const keys = readdirSync(join(dir, "pki")).filter((name) => name.endsWith("ca.key"));
  expect(keys.sort()).toEqual(["ca.key", "etcd-ca.key", "front-proxy-ca.key", "orchlet-ca.key"]);
  for (const [name] of rows)
    if (existsSync(folderOf(name)))
      expect(readdirSync(folderOf(name)).filter((entry) => keys.includes(entry))).toEqual([]);
});

test("the API server is no administrator to nodes, and what nodes serve has an authority of its own", () => {
  const certificate = (service: string, name: string) =>
    new X509Certificate(readFileSync(join(folderOf(service), `${name}.crt`)));
  expect(certificateIdentity(certificate("orch-apiserver", "orchlet-client"))).toEqual({
    commonName: "orch-apiserver-orchlet-client",
    organizations: [],
  });
  const serving = certificate("node-1", "serving");
  expect(serving.verify(certificate("orch-apiserver", "orchlet-ca").publicKey)).toBe(true);
  expect(serving.verify(certificate("orch-apiserver", "ca").publicKey)).toBe(false);
});

test("etcd takes only clients with a certificate", () => {
  expect(services.etcd?.command).toContain("--client-cert-auth");
  expect(file).not.toContain("http://");
});

test("what exists is kept", async () => {
  const files = ["pki/ca.crt", "services/node-1/serving.crt"].map((name) => join(dir, name));
  const before = files.map((name) => readFileSync(name, "utf8"));
  await ensureCertificates(dir);
  expect(files.map((name) => readFileSync(name, "utf8"))).toEqual(before);
});

test("access binds the API server's identity to the role for nodes and registers the metrics server, as often as it is asked to", async () => {
  const server = await startApiServer({ authorizationMode: "RBAC" });
  try {
    for (let i = 0; i < 2; i++) await setUpAccess(server.clientConfig);
    const path = "/apis/rbac.authorization.o8s.io/v1/clusterrolebindings/orch-apiserver-orchlet-client";
    const client = server.client();
    expect(await client.request({ method: "GET", path })).toMatchObject({
      roleRef: { kind: "ClusterRole", name: "system:orchlet-api-admin" },
      subjects: [{ kind: "User", name: "orch-apiserver-orchlet-client" }],
    });
    const may = async (resource: string, verb: string, subresource?: string) => {
      const review = await client.request({
        method: "POST",
        path: "/apis/authorization.o8s.io/v1/subjectaccessreviews",
        body: {
          apiVersion: "authorization.o8s.io/v1",
          kind: "SubjectAccessReview",
          spec: {
            user: "orch-apiserver-orchlet-client",
            resourceAttributes: { resource, verb, ...(subresource && { subresource }) },
          },
        },
      });
      return (review as { readonly status: { readonly allowed: boolean } }).status.allowed;
    };
    const service = "/api/v1/namespaces/orch-system/services/metrics-server";
    expect(await client.request({ method: "GET", path: service })).toMatchObject({
      spec: { type: "ExternalName", externalName: "metrics-server" },
    });
    const registration = "/apis/apiregistration.o8s.io/v1/apiservices/v1beta1.metrics.o8s.io";
    expect(await client.request({ method: "GET", path: registration })).toMatchObject({
      spec: { service: { name: "metrics-server", port: 4443 }, caBundle: expect.stringMatching(/./) },
    });
    expect([await may("nodes", "create", "proxy"), await may("secrets", "get"), await may("pods", "create")]).toEqual([
      true,
      false,
      false,
    ]);
  } finally {
    await server.stop();
  }
}, 120_000);
