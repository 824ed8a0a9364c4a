import { poll, startCluster, type TestCluster, workspaceRoot } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runningContainers, runningTwice, tasksSeenByCtr } from "../src/containers.ts";
import { type Kubectl, kubectlFor } from "../src/kubectl.ts";
import { cannotRun, type Flavour, kubectlPath, title } from "../src/prerequisites.ts";
import type { List, Pod } from "../src/types.ts";

const examples = `${workspaceRoot}docs/examples/`;

const flavours: readonly Flavour[] = [
  { store: "embedded", runtime: "containerd" },
  { store: "etcd", runtime: "containerd" },
  { store: "embedded", runtime: "process" },
];

describe.each(flavours.map((flavour) => ({ flavour, name: title("the example", flavour) })))("$name", ({ flavour }) => {
  const skip = cannotRun(flavour) !== undefined;
  const real = flavour.runtime === "containerd";
  let cluster: TestCluster;
  let kubectl: Kubectl;

  /** The pods of the example that are not on their way out. */
  const pods = async (): Promise<readonly Pod[]> => {
    const { items } = await kubectl.json<List<Pod>>("get", "pods", "-n", "demo", "-l", "app=web");
    return items.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  };
  const greetings = async (): Promise<readonly string[]> =>
    Promise.all(
      (await pods()).map(async (pod) => {
        const answer = await fetch(`http://${pod.status.podIP}:8080/`, { signal: AbortSignal.timeout(60_000) });
        expect(answer.status).toBe(200);
        return (await answer.text()).trim().replace(` from ${pod.metadata.name}`, "");
      }),
    );
  const rollout = () => kubectl("rollout", "status", "deployment/web", "-n", "demo", "--timeout=240s");

  beforeAll(async () => {
    if (skip) return;
    cluster = await startCluster(flavour);
    kubectl = kubectlFor(kubectlPath ?? "", cluster);
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  test.skipIf(skip)("its node is Ready", async () => {
    expect(await kubectl("get", "nodes")).toMatch(/^node-1\s+Ready\s/m);
  });

  test.skipIf(skip)("up again says that it is up", async () => {
    expect(await cluster.up()).toContain("up already");
  });

  test.skipIf(skip)("apply brings three running replicas", async () => {
    const applied = await kubectl("apply", "-f", examples);
    expect(applied.trim().split("\n").sort()).toEqual([
      "deployment.apps/web created",
      "namespace/demo created",
      "service/web created",
    ]);
    await rollout();
    const running = await pods();
    expect(running.map((pod) => pod.status.phase)).toEqual(["Running", "Running", "Running"]);
    const ids = running.flatMap((pod) => pod.status.containerStatuses?.map((status) => status.containerID) ?? []);
    expect(new Set(ids).size).toBe(3);
  });

  // Processes are not seen by ctr, and have addresses of the host.
  if (real) {
    test.skipIf(skip)("ctr sees the containers", async () => {
      const [node] = cluster.nodes;
      if (node === undefined) throw new Error("the cluster has no node");
      const tasks = new Set(await tasksSeenByCtr(node));
      const ids = (await pods()).map((pod) =>
        pod.status.containerStatuses?.[0]?.containerID?.replace("containerd://", ""),
      );
      expect(ids.filter((id) => id !== undefined && tasks.has(id))).toHaveLength(3);
    });

    test.skipIf(skip)("every pod answers at its address", async () => {
      expect(new Set((await pods()).map((pod) => pod.status.podIP)).size).toBe(3);
      expect(await greetings()).toEqual(["Hello", "Hello", "Hello"]);
    });
  }

  test.skipIf(skip)("its endpoints are the pods", async () => {
    const addresses = await poll({ what: "three endpoints", timeoutMs: 120_000 }, async () => {
      const { subsets } = await kubectl.json<{
        readonly subsets?: readonly { readonly addresses?: readonly unknown[] }[];
      }>("get", "endpoints", "web", "-n", "demo");
      const found = subsets?.flatMap((subset) => subset.addresses ?? []);
      return found?.length === 3 && found;
    });
    expect(addresses).toHaveLength(3);
  });

  test.skipIf(skip)("logs", async () => {
    const [pod] = await pods();
    const name = pod?.metadata.name ?? "";
    expect(await kubectl("logs", name, "-n", "demo")).toContain(`${name} serves on ${pod?.status.podIP}:8080`);
  });

  test.skipIf(skip)("exec", async () => {
    const [pod] = await pods();
    expect(await kubectl("exec", pod?.metadata.name ?? "", "-n", "demo", "--", "id")).toMatch(/^uid=0\(root\)/);
  });

  test.skipIf(skip)("scale up and down", async () => {
    for (const replicas of [5, 3]) {
      await kubectl("scale", "deployment/web", "-n", "demo", `--replicas=${replicas}`);
      await rollout();
      const running = await poll({ what: `${replicas} pods` }, async () => {
        const found = await pods();
        return found.length === replicas && found;
      });
      expect(running.every((pod) => pod.status.containerStatuses?.[0]?.ready)).toBe(true);
    }
  });

  test.skipIf(skip)("a changed template rolls out, and undo brings the old one back", async () => {
    const before = new Set((await pods()).map((pod) => pod.metadata.uid));
    const greetingOf = async (pod: Pod) =>
      (await kubectl("exec", pod.metadata.name, "-n", "demo", "--", "sh", "-c", "echo $GREETING")).trim();
    await kubectl("set", "env", "deployment/web", "-n", "demo", "GREETING=Good morning");
    await rollout();
    const changed = await pods();
    expect(changed.filter((pod) => before.has(pod.metadata.uid))).toEqual([]);
    expect(await Promise.all(changed.map(greetingOf))).toEqual(Array(3).fill("Good morning"));
    if (real) expect(await greetings()).toEqual(Array(3).fill("Good morning"));
    expect(await kubectl("rollout", "history", "deployment/web", "-n", "demo")).toMatch(/^2\s/m);
    await kubectl("rollout", "undo", "deployment/web", "-n", "demo");
    await rollout();
    expect(await Promise.all((await pods()).map(greetingOf))).toEqual(Array(3).fill("Hello"));
  });

  test.skipIf(skip)("no container ran twice", async () => {
    for (const node of cluster.nodes) expect(runningTwice(await runningContainers(node))).toEqual([]);
  });

  test.skipIf(skip)("delete takes the namespace and its containers away", async () => {
    await kubectl("delete", "-f", examples, "--timeout=240s");
    await expect(kubectl("get", "namespace", "demo")).rejects.toThrow(/NotFound/);
    await poll({ what: "the containers to be gone", timeoutMs: 120_000 }, async () => {
      const left = await Promise.all(cluster.nodes.map(runningContainers));
      return left.flat().every(({ namespace }) => namespace !== "demo");
    });
  });
});
