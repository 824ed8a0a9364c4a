import { createClient, type ObjectReference } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { createMetrics } from "@orchernetes/component";
import { silentLogger, systemClock, systemEventLoop } from "@orchernetes/kernel";
import { PolicyTable } from "@orchernetes/proxy";
import { poll } from "@orchernetes/testkit";
import { afterEach, expect, test } from "vitest";
import { ProxyHealth } from "../health/proxy-health.ts";
import { ProgramTimeoutError } from "../host/run-program.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { policyInformers } from "./policy-informers.ts";
import { PolicyLoader } from "./policy-loader.ts";
import { policyMetrics } from "./policy-metrics.ts";
import { PolicySync } from "./policy-sync.ts";

const tableName = "orch-proxy-policy";
const policies = "/apis/networking.o8s.io/v1/networkpolicies";

/** A packet filter that remembers what it loaded and rejects what `isRejected` says. */
class RememberingFilter implements PacketFilter {
  readonly loaded: string[] = [];
  isRejected: (batch: string) => boolean = () => false;
  isSlow: (batch: string) => boolean = () => false;
  /** Calls that took too long. */
  timeouts = 0;

  async check(batch: string): Promise<void> {
    if (this.isSlow(batch)) {
      this.timeouts++;
      throw new ProgramTimeoutError("nft: ended by SIGKILL within 1 ms");
    }
    if (this.isRejected(batch)) throw new Error("nft: rejected");
  }

  async load(batch: string): Promise<void> {
    await this.check(batch);
    this.loaded.push(batch);
  }

  content = async () => ({ chains: [], sets: [] });
  elements = async () => new Map<string, string>();

  tables = async () => [];

  async has() {
    return this.loaded.length > 0;
  }
}

const closed: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closed.splice(0).reverse()) await close();
});

async function start(prepare: (server: FakeApiServer) => void) {
  const server = await startFakeApiServer();
  prepare(server);
  const client = createClient({ server: server.url });
  const stopping = new AbortController();
  const filter = new RememberingFilter();
  const health = new ProxyHealth(systemClock, 60_000);
  const table = new PolicyTable({ nodeName: "n1", tableName });
  const metrics = createMetrics();
  const events: string[] = [];
  const recorder = {
    event: ({ namespace, name }: ObjectReference, type: string, reason: string, message: string) =>
      void events.push(`${type} ${reason} ${namespace}/${name}: ${message}`),
    flush: async () => undefined,
  };
  const sync = new PolicySync({
    host: { clock: systemClock, events: recorder, health, logger: silentLogger, signal: stopping.signal },
    periods: { minSyncPeriod: 1, syncPeriod: 50 },
    informers: policyInformers(client, silentLogger),
    table,
    loader: new PolicyLoader({ filter, tableName, loop: systemEventLoop, logger: silentLogger }),
    loop: systemEventLoop,
    metrics: policyMetrics(metrics, table),
  });
  closed.push(
    () => server.close(),
    async () => client.close(),
    () => sync.stop(),
    async () => stopping.abort(),
  );
  sync.follow();
  return { server, events, filter, metrics, health };
}

const pod = (name: string, ip: string) => ({
  metadata: { name, namespace: "demo", labels: { app: name } },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
  status: { phase: "Running", podIPs: [{ ip }] },
});
const policy = (name: string, port: number) => ({
  metadata: { name, namespace: "demo" },
  spec: {
    podSelector: { matchLabels: { app: name } },
    policyTypes: ["Ingress"],
    ingress: [{ from: [{ podSelector: { matchLabels: { app: "client" } } }], ports: [{ protocol: "TCP", port }] }],
  },
});
const fill = (server: FakeApiServer) => {
  server.put("/api/v1/namespaces", { metadata: { name: "demo" } });
  server.put("/api/v1/pods", pod("web", "10.0.0.2"));
  server.put("/api/v1/pods", pod("client", "10.0.0.9"));
  server.put(policies, policy("web", 80));
};
const until = (what: string, holds: () => boolean) =>
  poll({ what, timeoutMs: 10_000 }, async () => holds() || undefined);

test("without policies there is a table, and no pod is asked for", async () => {
  const { server, filter } = await start(() => undefined);
  await until("the table", () => filter.loaded.length > 0);
  expect(filter.loaded[0]).toContain(`add table inet ${tableName}\n`);
  expect(server.requests.filter(({ path }) => path.endsWith("/pods"))).toEqual([]);
  fill(server);
  await until("the policy", () => filter.loaded.some((batch) => batch.includes("10.0.0.2 : jump")));
  expect(filter.loaded.length).toBe(2);
});

test("nothing is enforced before all is known, and then changes are followed", async () => {
  const { server, filter, health } = await start((api) => {
    fill(api);
    api.hook = ({ path }) => (path === "/api/v1/namespaces" ? { status: 503 } : undefined);
  });
  await until("the list of pods", () => server.requests.some(({ path }) => path === "/api/v1/namespaces"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(filter.loaded).toEqual([]);
  server.hook = undefined;
  await until("the table", () => filter.loaded.length > 0);
  expect(filter.loaded[0]).toContain("10.0.0.2 : jump");
  server.put("/api/v1/pods", {
    ...pod("other", "10.0.0.10"),
    metadata: { ...pod("client", "").metadata, name: "other" },
  });
  await until("the pod", () => filter.loaded.length > 1);
  expect(filter.loaded[1]).toMatch(/^add element inet orch-proxy-policy peers4-\w+ \{ 10\.0\.0\.10 \}\n$/);
  server.remove(policies, "demo/web");
  await until("the policy", () => filter.loaded.length > 2);
  expect(filter.loaded[2]).toContain("delete element inet orch-proxy-policy ingress4 { 10.0.0.2 }");
  await until("health", () => health.isHealthy());
});

test("a policy that the packet filter rejects isolates its pod, and the others hold", async () => {
  const { server, filter, metrics } = await start(fill);
  await until("the table", () => filter.loaded.length > 0);
  filter.isRejected = (batch) => batch.includes("tcp . 666");
  for (let i = 0; i < 5; i++) {
    server.put("/api/v1/pods", pod(`p${i}`, `10.0.1.${i}`));
    server.put(policies, policy(`p${i}`, i === 3 ? 666 : 1_000 + i));
  }
  const count = (what: string) => Number(new RegExp(`^${what} (.*)$`, "m").exec(metrics.render())?.[1]);
  await until("the suspension", () => count("orchproxy_network_policy_suspended") === 1);
  await until("all pods", () => count("orchproxy_network_policy_isolated_pods") === 6);
  const last = filter.loaded.at(-1) ?? "";
  expect(last).toContain("tcp . 1004");
  expect(last).toContain("10.0.1.3 : jump");
  server.put(policies, policy("p3", 667));
  await until("the changed policy", () => filter.loaded.at(-1)?.includes("tcp . 667") === true);
  expect(count("orchproxy_network_policy_suspended")).toBe(0);
  expect(count("orchproxy_network_policy_policies")).toBe(6);
});

test("a policy that does not fit into the limits of its namespace isolates its pod, and an event says so", async () => {
  const { server, events, filter } = await start(fill);
  await until("the table", () => filter.loaded.length > 0);
  server.put(policies, {
    ...policy("web", 80),
    metadata: { ...policy("web", 80).metadata, creationTimestamp: "2023-01-01T00:00:00Z" },
  });
  const rules = (from: number) =>
    Array.from({ length: 250 }, (_, i) => ({ from: [{ podSelector: { matchLabels: { app: `c${from + i}` } } }] }));
  for (let i = 0; i < 4; i++) {
    const { metadata, spec } = policy(`p${i}`, 80);
    server.put("/api/v1/pods", pod(`p${i}`, `10.0.1.${i}`));
    server.put(policies, {
      metadata: { ...metadata, creationTimestamp: `2024-01-01T00:00:0${i}Z` },
      spec: { ...spec, ingress: rules(250 * i) },
    });
  }
  await until("the event", () => events.length > 0);
  const reason = "together with older policies of its namespace: 1001 rules with peers, at most 1000";
  expect(events).toEqual([`Warning PolicyNotEnforced demo/p3: Isolates pods and allows nothing: ${reason}`]);
  await until("the pod", () => filter.loaded.join("").includes("10.0.1.3 : jump"));
  expect(filter.loaded.join("").match(/^add chain inet \S+ policy-/gm)).toHaveLength(4);
});

test("a policy that takes too long to load is suspended at once, and stays so while its rules do", async () => {
  const { server, filter, metrics } = await start(fill);
  await until("the table", () => filter.loaded.length > 0);
  for (let i = 0; i < 5; i++) server.put(policies, policy(`p${i}`, 1_000 + i));
  await until("all policies", () => metrics.render().includes("orchproxy_network_policy_policies 6"));
  server.put("/api/v1/pods", pod("p0", "10.0.1.0"));
  await until("the pod", () => filter.loaded.at(-1)?.includes("10.0.1.0 : jump") === true);
  filter.isSlow = (batch) => batch.includes("tcp . 666");
  server.put(policies, policy("p0", 666));
  const suspended = () => /^orchproxy_network_policy_suspended (.*)$/m.exec(metrics.render())?.[1];
  await until("the suspension", () => suspended() === "1");
  await until("the table", () => filter.loaded.at(-1)?.includes("10.0.1.0 : jump") === true);
  expect(filter.timeouts).toBe(1);
  const edited = policy("p0", 666);
  server.put(policies, { ...edited, metadata: { ...edited.metadata, labels: { edited: "yes" } } });
  server.put("/api/v1/pods", pod("p1", "10.0.1.1"));
  await until("the other pod", () => filter.loaded.at(-1)?.includes("10.0.1.1 : jump") === true);
  expect([suspended(), filter.timeouts]).toEqual(["1", 1]);
  server.put(policies, policy("p0", 667));
  await until("the changed policy", () => filter.loaded.at(-1)?.includes("tcp . 667") === true);
  expect(suspended()).toBe("0");
});

test("a timeout while looking for what is rejected ends the search", async () => {
  const { server, filter, metrics } = await start(fill);
  await until("the table", () => filter.loaded.length > 0);
  server.put("/api/v1/pods", pod("p0", "10.0.1.0"));
  let calls = 0;
  filter.isRejected = (batch) => batch.includes("tcp . 666") && ++calls <= 2;
  filter.isSlow = (batch) => calls >= 2 && batch.includes("tcp . 666");
  server.put(policies, policy("p0", 666));
  await until("the suspension", () => /^orchproxy_network_policy_suspended 1$/m.test(metrics.render()));
  await until("the table", () => filter.loaded.at(-1)?.includes("10.0.1.0 : jump") === true);
  expect(filter.timeouts).toBe(1);
});

test("what cannot be loaded at all is retried, and is no reason to suspend policies", async () => {
  const { filter, metrics } = await start((server) => {
    fill(server);
  });
  filter.isRejected = () => true;
  const failures = () =>
    Number(/^orchproxy_network_policy_sync_failures_total (.*)$/m.exec(metrics.render())?.[1] ?? 0);
  await until("a failure", () => failures() > 0);
  filter.isRejected = () => false;
  await until("the table", () => filter.loaded.length > 0);
  expect(filter.loaded[0]).toContain("tcp . 80");
  expect(metrics.render()).toMatch(/^orchproxy_network_policy_suspended 0$/m);
});
