import { apps } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { type DoubleRunWatcher, runningContainers, watchForDoubleRuns } from "@orchernetes/cri/testing";
import { poll } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";
import { type SteadyWriter, writeSteadily } from "../../src/steady-writer.ts";
import { isComplete } from "../../src/types.ts";

const NAMESPACE = "crash";

/** Pods that end at once: what is still there later is an error. */
const sleeper = {
  metadata: { name: "crash", namespace: NAMESPACE },
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

/** Every daemon is killed in the middle of its work. */
export function crashSuite(shared: SharedCluster): void {
  describe("kill -9", () => {
    shared.useNamespace(NAMESPACE);
    const kubectl = shared.kubectl(NAMESPACE);
    const { flavour } = shared;
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
    let watcher: DoubleRunWatcher;
    let writer: SteadyWriter;

    let client: Client;
    const deployments = () => client.resource<apps.Deployment>(apps.deployments).namespace(NAMESPACE);
    const complete = (replicas: number) =>
      poll({ what: `the deployment to have ${replicas} ready pods`, timeoutMs: 240_000, intervalMs: 50 }, async () => {
        const found = await deployments().get("crash");
        if (found.spec.replicas === replicas && isComplete(found)) return found;
        throw new Error(`its status is ${JSON.stringify(found.status)}`);
      });
    const containersOfPods = async () =>
      (await Promise.all(shared.cluster.nodes.map(runningContainers)))
        .flat()
        .filter(({ namespace }) => namespace === NAMESPACE);

    beforeAll(async () => {
      client = shared.cluster.client();
      watcher = watchForDoubleRuns(shared.cluster.nodes);
      writer = writeSteadily(shared.cluster.client());
      await deployments().create(sleeper);
      await complete(1);
    });
    afterAll(async () => {
      await Promise.all([watcher?.stop(), writer?.stop()]);
    });

    test.each(daemons)("%s, while the deployment is scaled to %d", async (daemon, replicas) => {
      const before = shared.cluster.pid(daemon);
      await kubectl("scale", "deployment/crash", `--replicas=${replicas}`);
      shared.cluster.kill9(daemon);
      expect(await shared.cluster.up()).toContain("is up");
      expect(shared.cluster.pid(daemon)).not.toBe(before);
      await complete(replicas);
      const running = await poll({ what: `${replicas} containers`, timeoutMs: 120_000 }, async () => {
        const found = await containersOfPods();
        if (found.length === replicas) return found;
        throw new Error(`there are ${found.length}: ${found.map(({ podName }) => podName).join(", ")}`);
      });
      expect(new Set(running.map(({ podUid }) => podUid)).size).toBe(replicas);
    });

    test("what was acknowledged is there", async () => {
      await writer.stop();
      const names = await kubectl("get", "configmaps", "-n", "default", "-o", "name");
      const found = new Set(names.trim().split("\n"));
      expect(writer.acknowledged.length).toBeGreaterThan(daemons.length);
      expect(writer.acknowledged.filter((name) => !found.has(`configmap/${name}`))).toEqual([]);
    });

    test("no container ran twice at any time", () => {
      expect(watcher.looks).toBeGreaterThan(10);
      expect([...watcher.seen]).toEqual([]);
    });
  });
}
