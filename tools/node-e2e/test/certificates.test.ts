import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { coordination, core } from "@orchernetes/api";
import { poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JoinableServer, startJoinableServer } from "../src/joinable-server.ts";
import { shell } from "../src/pods.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

/** A certificate begins five minutes before it is made, and is renewed when 70 to 90 % of its time are over: within 78 seconds here. */
const lifetime = "2m";
const lifetimeMs = 120_000;

describe.skipIf(cannotRun !== undefined)(title("a node with certificates of the cluster"), () => {
  let server: JoinableServer;
  let node: TestNode;
  let approving: NodeJS.Timeout;
  const client = () => server.client;
  const lease = () => client().resource(coordination.leases).namespace("orch-node-lease").get("node-a");
  const isReady = async () => {
    const { status } = await client().resource(core.nodes).get("node-a");
    return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  };
  const current = (kind: "client" | "server"): X509Certificate | undefined => {
    const file = join(node.dir, "pki", `orchlet-${kind}-current.pem`);
    return existsSync(file) ? new X509Certificate(readFileSync(file)) : undefined;
  };
  /** The certificate that the agent presents, if the authority has signed it. */
  const served = (): Promise<X509Certificate | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(node.url);
      const socket = connect({ host: hostname, port: Number(port), ca: server.authority.certPem }, () => {
        resolve(socket.getPeerX509Certificate());
        socket.destroy();
      });
      socket.once("error", reject);
    });

  beforeAll(async () => {
    server = await startJoinableServer(lifetime);
    node = await startTestNode({
      start: false,
      settings: { rotateCertificates: true, serverTLSBootstrap: true, nodeStatusReportFrequency: "10s" },
      api: (dir) => [
        `--orchconfig=${join(dir, "joined.orchconfig")}`,
        `--bootstrap-orchconfig=${server.bootstrapConfig}`,
      ],
    });
    approving = setInterval(() => void server.approveServing().catch(() => undefined), 1000);
    await node.startAgent();
  });
  afterAll(async () => {
    clearInterval(approving);
    await node?.stop();
    await server?.stop();
  });

  test("joins the cluster, and serves with a certificate of the cluster", async () => {
    await poll({ what: "the node to be ready", timeoutMs: 120_000 }, isReady).catch((error: Error) => {
      throw new Error(`${error.message}\n${node.agent.log(20)}\n${server.log()}`);
    });
    expect(current("client")?.subject).toContain("CN=system:node:node-a");
    await poll({ what: "the serving certificate", timeoutMs: 60_000 }, served);
    expect(readFileSync(join(node.dir, "joined.orchconfig"), "utf8")).not.toContain("token");
  });

  test("renews both certificates for more than three lifetimes, without a gap", async () => {
    const pods = client().resource(core.pods).namespace("default");
    const until = Date.now() + 3.2 * lifetimeMs;
    const serials = { client: new Set<string>(), server: new Set<string>() };
    let renewed = String((await lease()).spec?.renewTime);
    let longest = 0;
    let last = Date.now();
    while (Date.now() < until) {
      const now = String((await lease()).spec?.renewTime);
      if (now !== renewed) [renewed, last] = [now, Date.now()];
      longest = Math.max(longest, Date.now() - last);
      const presented = await served();
      expect(Date.parse(presented?.validTo ?? "")).toBeGreaterThan(Date.now());
      serials.server.add(presented?.serialNumber ?? "");
      serials.client.add(current("client")?.serialNumber ?? "");
      expect(Date.parse(current("client")?.validTo ?? "")).toBeGreaterThan(Date.now());
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect(serials.client.size).toBeGreaterThanOrEqual(4);
    expect(serials.server.size).toBeGreaterThanOrEqual(4);
    // The lease is renewed every ten seconds.
    expect(longest).toBeLessThan(30_000);
    expect(await isReady()).toBe(true);
    // All certificates of the beginning have expired: this goes over a new one.
    await client()
      .resource(core.serviceAccounts)
      .namespace("default")
      .create({ metadata: { name: "default" } } as never)
      .catch(() => undefined);
    const container = { name: "c", image: "localhost/busybox:1", ...shell("sleep 600") };
    const spec = {
      nodeName: "node-a",
      automountServiceAccountToken: false,
      containers: [container],
      terminationGracePeriodSeconds: 1,
    };
    await pods.create({ metadata: { name: "web" }, spec } as never);
    await poll({ what: "a pod to run" }, async () => (await pods.get("web")).status?.phase === "Running");
  });

  test("uses the newest certificates after the agent was killed", async () => {
    await node.agent.kill9();
    await node.startAgent();
    const before = String((await lease()).spec?.renewTime);
    await poll({ what: "the lease to be renewed" }, async () => String((await lease()).spec?.renewTime) !== before);
    expect(await isReady()).toBe(true);
  });
});
