import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "@orchernetes/apimachinery";
import { type Client, createClient, loadClientConfig } from "@orchernetes/client";
import { wrongKernelSettings } from "@orchernetes/host";
import { etcdAvailable, poll, startCluster, type TestCluster } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCheck } from "../src/run-check.ts";

const store = etcdAvailable() ? "etcd" : "embedded";
if (store === "embedded") process.stdout.write("skipped: etcd of profile hardened: there is no etcd\n");

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ profile: "hardened", store, runtime: "process" });
});
afterAll(() => cluster?.stop());

const clients: Client[] = [];
afterAll(() => {
  for (const client of clients) client.close();
});
/** A client with a client configuration of the cluster; without one it has no credentials. */
function clientOf(identity: string | undefined): Client {
  const { server, tls } = loadClientConfig(join(cluster.dataDir, "config", `${identity ?? "health-probe"}.orchconfig`));
  const { cert, key, ...trust } = typeof tls === "function" ? tls() : (tls ?? {});
  const client = createClient({
    server,
    tls: identity === undefined ? trust : { ...trust, ...(cert && { cert }), ...(key && { key }) },
  });
  clients.push(client);
  return client;
}
const statusOf = (client: Client, path: string): Promise<number> =>
  client.request({ method: "GET", path }).then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.code : 0),
  );

test("every control passes that a cluster can meet by itself", async () => {
  const result = await runCheck(cluster);
  expect(result.numbers("fail")).toEqual([]);
  // They need what a cluster does not bring: a service that knows users, policies of their namespaces, a service that judges
  // images, a prepared kernel.
  const unenforced = spawnSync("unshare", ["-n", "nft", "list", "ruleset"]).status === 0 ? [] : ["5.3.1"];
  const missing = [
    "3.1.1",
    ...(wrongKernelSettings().length > 0 ? ["1.24/4.2.6"] : []),
    ...unenforced,
    "5.3.2",
    "5.5.1",
  ];
  expect(result.numbers("warn")).toEqual(missing);
  expect(result.numbers("pass").length).toBeGreaterThan(store === "etcd" ? 110 : 100);
  expect(result.exitCode).toBe(0);
});

test("nobody is anonymous; a client without permissions may ask for health, and for nothing else", async () => {
  const [nobody, probe] = [clientOf(undefined), clientOf("health-probe")];
  expect([await statusOf(nobody, "/livez"), await statusOf(nobody, "/version")]).toEqual([401, 401]);
  expect([await statusOf(probe, "/readyz"), await statusOf(probe, "/api/v1/secrets")]).toEqual([200, 403]);
});

test("a secret is neither in the store nor in the audit log, which names who wrote it", async () => {
  const text = "only-the-pod-may-know-this";
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { key: text } };
  await cluster.client().request({ method: "POST", path: "/api/v1/namespaces/default/secrets", body });
  const log = () => readFileSync(join(cluster.dataDir, "logs", "audit.log"), "utf8");
  await poll({ what: "the record" }, async () => log().includes('"name":"s"'));
  const record = log()
    .split("\n")
    .find((line) => line.includes('"resource":"secrets"') && line.includes('"verb":"create"'));
  expect(JSON.parse(record ?? "{}")).toMatchObject({ level: "Metadata", user: { username: "orchernetes-admin" } });
  const folder = join(cluster.dataDir, store === "etcd" ? "etcd" : "store");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  const encoded = Buffer.from(text).toString("base64");
  for (const path of files) {
    const content = readFileSync(path);
    expect([path, content.includes(text) || content.includes(encoded)]).toEqual([path, false]);
  }
});

describe("a node", () => {
  const pem = (name: string) =>
    readFileSync(join(cluster.dataDir, "nodes", "node-1", "pki", `${name}-current.pem`), "utf8");

  test("has certificates that the cluster issued, and the API server trusts the serving one", async () => {
    expect([pem("orchlet-server"), pem("orchlet-client")].map((text) => text.includes("BEGIN CERTIFICATE"))).toEqual([
      true,
      true,
    ]);
    expect(await statusOf(cluster.client(), "/api/v1/nodes/node-1/proxy/healthz")).toBe(200);
  });

  test("asks for a new serving certificate when its own is gone, which a second up approves", async () => {
    const before = pem("orchlet-server");
    unlinkSync(join(cluster.dataDir, "nodes", "node-1", "pki", "orchlet-server-current.pem"));
    cluster.kill9("orchlet-node-1");
    await poll({ what: "the agent to be gone" }, async () => !isAlive(cluster.pid("orchlet-node-1")));
    expect(await cluster.up()).toContain("serving certificate of node-1");
    expect(pem("orchlet-server")).not.toBe(before);
    expect(await statusOf(cluster.client(), "/api/v1/nodes/node-1/proxy/healthz")).toBe(200);
  });
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("a privileged pod is rejected, and one that asks for nothing runs with the image pulled", async () => {
  const pod = (name: string, securityContext: object) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "c", image: "localhost/busybox:1", command: ["sleep", "600"], securityContext }] },
  });
  const create = (body: object) =>
    cluster.client().request({ method: "POST", path: "/api/v1/namespaces/default/pods", body });
  await expect(create(pod("bad", { privileged: true }))).rejects.toThrow('violates PodSecurity "baseline:latest"');
  expect(await create(pod("good", {}))).toMatchObject({ spec: { containers: [{ imagePullPolicy: "Always" }] } });
  await poll({ what: "the pod to run" }, async () => {
    const path = "/api/v1/namespaces/default/pods/good";
    const found = (await cluster.client().request({ method: "GET", path })) as { status?: { phase?: string } };
    return found.status?.phase === "Running";
  });
});
