import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Cluster, DaemonDied } from "./cluster.ts";
import { layout } from "./layout.ts";
import { startTicksOf } from "./processes.ts";
import type { ClusterState } from "./state.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-local-cluster-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const stateOf = (store: ClusterState["store"], runtime: "containerd" | "process"): ClusterState => ({
  version: 1,
  port: 1,
  store,
  etcdPort: 2,
  etcdPeerPort: 3,
  schedulerPort: 4,
  controllerManagerPort: 5,
  nodes: [
    { name: "node-1", runtime, port: 6, healthzPort: 7, podCidr: "10.64.0.0/24", bridge: "b", endpoint: "unix:///x" },
  ],
  processes: [],
});
/** This very process stands for every daemon. */
const runningAs = (name: string) => ({ name, pid: process.pid, startTicks: startTicksOf(process.pid) });

test.each([
  [
    "embedded",
    "containerd",
    [
      "containerd-node-1",
      "orch-apiserver",
      "orch-controller-manager",
      "orch-proxy-node-1",
      "orch-scheduler",
      "orchlet-node-1",
    ],
  ],
  [
    "etcd",
    "process",
    [
      "etcd",
      "orch-apiserver",
      "orch-controller-manager",
      "orch-proxy-node-1",
      "orch-scheduler",
      "orchlet-node-1",
      "process-runtime-node-1",
    ],
  ],
] as const)("a cluster on %s with %s is complete when all of its processes run", (store, runtime, names) => {
  const cluster = new Cluster(layout(dir), stateOf(store, runtime));
  expect([...cluster.wanted()].sort()).toEqual(names);
  for (const name of names) {
    expect(cluster.isComplete()).toBe(false);
    cluster.remember(runningAs(name));
  }
  expect(cluster.isComplete()).toBe(true);
  cluster.remember({ ...runningAs("orch-scheduler"), pid: 2 ** 22 + 1 });
  expect([cluster.isComplete(), cluster.dead()]).toEqual([false, ["orch-scheduler"]]);
});

test("a cluster with a metrics server is not complete without it", () => {
  const state = { ...stateOf("embedded", "process"), metricsServer: { address: "127.0.0.1", port: 8 } };
  expect(new Cluster(layout(dir), state).wanted()).toContain("metrics-server");
});

test("a daemon that ends while it is waited for is named with the end of its log", async () => {
  const cluster = new Cluster(layout(dir), stateOf("embedded", "process"));
  cluster.start("orch-scheduler", ["/bin/sh", "-c", "echo the reason; exit 1"]);
  const waiting = cluster.waitFor("orch-scheduler", "healthy", async () => false, 60_000);
  await expect(waiting).rejects.toThrow(DaemonDied);
  await expect(waiting).rejects.toThrow(/^orch-scheduler ended before healthy\. The end of .*:\nthe reason$/);
});

test("a daemon that ended after it was ready is named in the end", async () => {
  const cluster = new Cluster(layout(dir), stateOf("embedded", "process"));
  for (const name of cluster.wanted()) cluster.remember(runningAs(name));
  cluster.requireRunning();
  cluster.remember({ ...runningAs("orchlet-node-1"), pid: 2 ** 22 + 1 });
  expect(() => cluster.requireRunning()).toThrow(DaemonDied);
  expect(() => cluster.requireRunning()).toThrow(/^orchlet-node-1 ended after its start\. The end of .*:\n\(no log\)$/);
});

test("the error for a daemon that never becomes ready has the last error of its check", async () => {
  const cluster = new Cluster(layout(dir), stateOf("embedded", "process"));
  cluster.remember(runningAs("orch-apiserver"));
  const failing = async (): Promise<boolean> => {
    throw new Error("refused");
  };
  await expect(cluster.waitFor("orch-apiserver", "ready", failing, 50)).rejects.toThrow(
    /orch-apiserver: not ready within 0\.05 s \(refused\)/,
  );
});
