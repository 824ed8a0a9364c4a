import { networkInterfaces } from "node:os";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { type CertificateAuthority, createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../support.ts";
import { base, type ExtensionServer, group, startExtensionServer } from "./extension-server.ts";

const apiServices = "/apis/apiregistration.o8s.io/v1/apiservices";
const label = "orch-aggregator.orchernetes.io/automanaged";
const within = { timeout: 30_000, interval: 50 };
/** Endpoints are never at an address of the loopback interface. */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

let server: TestApiServer;
let ca: CertificateAuthority;
let extension: ExtensionServer;

beforeAll(async () => {
  ca = await createCertificateAuthority({ commonName: "serving" });
  const serving = await issueServerCertificate(ca, { commonName: "ext", hosts: ["ext.default.svc"] });
  extension = await startExtensionServer(serving, ca.certPem, "0.0.0.0");
  const flags = ["--enable-aggregator-routing", "--aggregator-reject-forwarding-redirect=false"];
  server = await startApiServer({ flags });
});

afterAll(async () => {
  await server.stop();
  await extension.stop();
});

interface Listed {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly groupPriorityMinimum: number; readonly versionPriority: number };
  readonly status: { readonly conditions?: readonly { readonly status: string; readonly reason: string }[] };
}

async function listed(): Promise<readonly Listed[]> {
  const { json } = await call(server, "GET", apiServices);
  return (json as unknown as { readonly items: readonly Listed[] }).items;
}

const statusOf = async (name: string): Promise<number> => (await call(server, "GET", `${apiServices}/${name}`)).status;

const reason = async (name: string): Promise<string | undefined> =>
  (await listed()).find(({ metadata }) => metadata.name === name)?.status.conditions?.[0]?.reason;

const local = (name: string, automanaged: string | undefined): object => {
  const [version, ...rest] = name.split(".");
  return {
    metadata: { name, ...(automanaged === undefined ? {} : { labels: { [label]: automanaged } }) },
    spec: { group: rest.join("."), version, groupPriorityMinimum: 1000, versionPriority: 100 },
  };
};

test("every built-in group version is registered, but the group of registrations itself", async () => {
  const items = await listed();
  const names = items.map(({ metadata }) => metadata.name);
  for (const name of ["v1.", "v1.apps", "v2.autoscaling", "v1.rbac.authorization.o8s.io"])
    expect(names).toContain(name);
  expect(names.some((name) => name.endsWith("apiregistration.o8s.io"))).toBe(false);
  for (const { metadata, status } of items) {
    expect(metadata.labels).toEqual({ [label]: "onstart" });
    expect(status.conditions).toMatchObject([{ type: "Available", status: "True", reason: "Local" }]);
  }
  const verbose = (await call(server, "GET", "/readyz?verbose")).text;
  expect(verbose).toContain("[+]autoregister-completion ok");
});

test("what is deleted or changed stays so until the next start, then it is as it was", async () => {
  await call(server, "DELETE", `${apiServices}/v1.apps`);
  const patch = { body: { spec: { versionPriority: 3 } }, headers: { "content-type": "application/merge-patch+json" } };
  expect((await call(server, "PATCH", `${apiServices}/v1.batch`, patch)).status).toBe(200);
  for (const [name, automanaged] of [
    ["v1.gone.example.com", "onstart"],
    ["v1.mine.example.com", undefined],
  ] as const)
    expect((await call(server, "POST", apiServices, { body: local(name, automanaged) })).status).toBe(201);
  // Kept in step, not only at the start: nothing makes this group version.
  await call(server, "POST", apiServices, { body: local("v1.stale.example.com", "true") });
  await expect.poll(() => statusOf("v1.stale.example.com"), within).toBe(404);
  expect(await statusOf("v1.apps")).toBe(404);
  expect(await statusOf("v1.gone.example.com")).toBe(200);
  expect((await call(server, "GET", "/apis/apps/v1/deployments")).status).toBe(200);

  await server.restart();
  await expect.poll(() => statusOf("v1.gone.example.com"), within).toBe(404);
  const items = await listed();
  const of = (name: string) => items.find(({ metadata }) => metadata.name === name);
  expect(of("v1.apps")?.metadata.labels).toEqual({ [label]: "onstart" });
  expect(of("v1.batch")?.spec.versionPriority).toBe(15);
  expect(of("v1.mine.example.com")).toBeDefined();
});

test("group versions of custom resources are registered as long as they are served", async () => {
  const definitions = "/apis/apiextensions.o8s.io/v1/customresourcedefinitions";
  const name = "v1.made.example.com";
  const version = { served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } };
  const versions = [
    { ...version, name: "v1", storage: true },
    { ...version, name: "v2" },
  ];
  const names = { plural: "foos", kind: "Foo" };
  const body = {
    metadata: { name: "foos.made.example.com" },
    spec: { group: "made.example.com", scope: "Cluster", names, versions },
  };
  expect((await call(server, "POST", definitions, { body })).status).toBe(201);
  await expect.poll(() => reason(name), within).toBe("Local");
  await expect.poll(() => statusOf("v2.made.example.com"), within).toBe(200);
  const first = await call(server, "GET", `${apiServices}/${name}`);
  expect(first.json).toMatchObject({
    metadata: { labels: { [label]: "true" } },
    spec: { groupPriorityMinimum: 1000, versionPriority: 100 },
  });
  await call(server, "DELETE", `${apiServices}/${name}`);
  await expect.poll(() => statusOf(name), within).toBe(200);
  const again = await call(server, "GET", `${apiServices}/${name}`);
  await server.restart();
  const { json } = await call(server, "GET", `${apiServices}/${name}`);
  expect(json?.metadata?.uid).toBe(again.json?.metadata?.uid);
  await call(server, "DELETE", `${definitions}/foos.made.example.com`);
  await expect.poll(() => statusOf(name), within).toBe(404);
  await expect.poll(() => statusOf("v2.made.example.com"), within).toBe(404);
});

test("a client cannot say that its APIService is available", async () => {
  const service = { namespace: "nowhere", name: "s" };
  const spec = { group: "liar.example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, service };
  const status = { conditions: [{ type: "Available", status: "True" }] };
  const { json } = await call(server, "POST", apiServices, {
    body: { metadata: { name: "v1.liar.example.com" }, spec, status },
  });
  expect(json).toMatchObject({ status: { conditions: [{ status: "False", reason: "ServiceNotFound" }] } });
  expect((await call(server, "GET", "/apis/liar.example.com/v1/x")).status).toBe(503);
});

test.skipIf(address === undefined)(
  "requests go to ready endpoints as they come and go",
  async () => {
    const name = `v1.${group}`;
    const at = "/api/v1/namespaces/default";
    const post = (path: string, body: object) => call(server, "POST", path, { body });
    const service = { namespace: "default", name: "ext" };
    const caBundle = Buffer.from(ca.certPem).toString("base64");
    await post(apiServices, {
      metadata: { name },
      spec: { group, version: "v1", groupPriorityMinimum: 1500, versionPriority: 20, service, caBundle },
    });
    await expect.poll(() => reason(name), within).toBe("ServiceNotFound");
    await post(`${at}/services`, { metadata: { name: "ext" }, spec: { ports: [{ name: "https", port: 443 }] } });
    await expect.poll(() => reason(name), within).toBe("EndpointsNotFound");
    const ports = [{ name: "https", port: extension.port }];
    const made = await post(`${at}/endpoints`, {
      metadata: { name: "ext" },
      subsets: [{ notReadyAddresses: [{ ip: address }], ports }],
    });
    expect(made.status).toBe(201);
    await expect.poll(() => reason(name), within).toBe("MissingEndpoints");
    const ready = { body: { subsets: [{ addresses: [{ ip: address }], ports }] } };
    const headers = { "content-type": "application/merge-patch+json" };
    await call(server, "PATCH", `${at}/endpoints/ext`, { ...ready, headers });
    await expect.poll(() => reason(name), within).toBe("Passed");
    await expect.poll(async () => (await call(server, "GET", `${base}/widgets`)).status, within).toBe(200);
    // Redirects are passed on where the flag says so.
    const redirect = await call(server, "GET", `${base}/widgets/redirect`);
    expect([redirect.status, redirect.headers.location]).toEqual([302, "https://127.0.0.1/elsewhere"]);
    await call(server, "DELETE", `${at}/services/ext`);
    await expect.poll(() => reason(name), within).toBe("ServiceNotFound");
    expect((await call(server, "GET", `${base}/widgets`)).status).toBe(503);
    expect((await call(server, "GET", "/apis")).status).toBe(200);
  },
  120_000,
);
