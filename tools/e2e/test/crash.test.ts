import { apps } from "@orchernetes/api";
import { poll, startCluster, type TestCluster } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runningContainers } from "../src/containers.ts";
import { type DoubleRunWatcher, watchForDoubleRuns } from "../src/double-run-watcher.ts";
import { type Kubectl, kubectlFor } from "../src/kubectl.ts";
import { cannotRun, type Flavour, hasContainerd, kubectlPath, title } from "../src/prerequisites.ts";
import { type SteadyWriter, writeSteadily } from "../src/steady-writer.ts";
import { type Deployment, isComplete } from "../src/types.ts";

/** Pods that end at once: what is still there later is an error. */
const sleeper = {
  metadata: { name: "crash", namespace: "default" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "crash" } },
    template: {
      metadata: { labels: { app: "crash" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "main", image: "localhost/busybox:1", command: ["sleep", "3600"] }],
      },
    },
  },
};

const runtime = hasContainerd ? "containerd" : "process";
const stores: readonly Flavour[] = [
  { store: "embedded", runtime },
  { store: "etcd", runtime },
];

describe.each(stores.map((flavour) => ({ flavour, name: title("kill -9", flavour) })))("$name", ({ flavour }) => {
  const skip = cannotRun(flavour) !== undefined;
  const runtimeProcess = flavour.runtime === "containerd" ? "containerd-node-1" : "process-runtime-node-1";
  const daemons: readonly (readonly [daemon: string, replicas: number])[] = [
    ["orch-apiserver", 4],
    ["orch-controller-manager", 2],
    ["orch-scheduler", 5],
    ["orchlet-node-1", 3],
    ["orch-proxy-node-1", 4],
    [runtimeProcess, 6],
    ...(flavour.store === "etcd" ? [["etcd", 2] as const] : []),
  ];
  let cluster: TestCluster;
  let kubectl: Kubectl;
  let watcher: DoubleRunWatcher;
  let writer: SteadyWriter;

  const complete = (replicas: number) =>
    poll({ what: `the deployment to have ${replicas} ready pods`, timeoutMs: 240_000, intervalMs: 300 }, async () => {
      const found = await kubectl.json<Deployment>("get", "deployment", "crash", "-n", "default");
      if (found.spec.replicas === replicas && isComplete(found)) return found;
      throw new Error(`its status is ${JSON.stringify(found.status)}`);
    });
  const containersOfPods = async () =>
    (await Promise.all(cluster.nodes.map(runningContainers))).flat().filter(({ namespace }) => namespace === "default");

  beforeAll(async () => {
    if (skip) return;
    cluster = await startCluster(flavour);
    kubectl = kubectlFor(kubectlPath ?? "", cluster);
    watcher = watchForDoubleRuns(cluster.nodes);
    writer = writeSteadily(cluster.client());
    await cluster.client().resource<apps.Deployment>(apps.deployments).namespace("default").create(sleeper);
    await complete(1);
  });
  afterAll(async () => {
    await Promise.all([watcher?.stop(), writer?.stop()]);
    await cluster?.stop();
  });

  test.skipIf(skip).each(daemons)("%s, while the deployment is scaled to %d", async (daemon, replicas) => {
    const before = cluster.pid(daemon);
    await kubectl("scale", "deployment/crash", "-n", "default", `--replicas=${replicas}`);
    cluster.kill9(daemon);
    expect(await cluster.up()).toContain("is up");
    expect(cluster.pid(daemon)).not.toBe(before);
    await complete(replicas);
    const running = await poll({ what: `${replicas} containers`, timeoutMs: 120_000 }, async () => {
      const found = await containersOfPods();
      if (found.length === replicas) return found;
      throw new Error(`there are ${found.length}: ${found.map(({ podName }) => podName).join(", ")}`);
    });
    expect(new Set(running.map(({ podUid }) => podUid)).size).toBe(replicas);
  });

  test.skipIf(skip)("what was acknowledged is there", async () => {
    await writer.stop();
    const names = await kubectl("get", "configmaps", "-n", "default", "-o", "name");
    const found = new Set(names.trim().split("\n"));
    expect(writer.acknowledged.length).toBeGreaterThan(daemons.length);
    expect(writer.acknowledged.filter((name) => !found.has(`configmap/${name}`))).toEqual([]);
  });

  test.skipIf(skip)("no container ran twice at any time", () => {
    expect(watcher.looks).toBeGreaterThan(10);
    expect([...watcher.seen]).toEqual([]);
  });
});
