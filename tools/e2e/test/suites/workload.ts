import { BlockList } from "node:net";
import { runningContainers, runningTwice } from "@orchernetes/cri/testing";
import { poll, workspaceRoot } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { tasksSeenByCtr } from "../../src/containers.ts";
import type { SharedCluster } from "../../src/shared-cluster.ts";
import type { List, Pod } from "../../src/types.ts";

const examples = `${workspaceRoot}docs/examples/`;

/** The objects of docs/examples, from their creation to their deletion. */
export function workloadSuite(shared: SharedCluster): void {
  describe("the example", () => {
    const real = shared.flavour.runtime === "containerd";
    const kubectl = shared.kubectl();

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

    test("its nodes are Ready", async () => {
      const nodes = await kubectl("get", "nodes");
      for (const { name } of shared.cluster.nodes) expect(nodes).toMatch(new RegExp(`^${name}\\s+Ready\\s`, "m"));
    });

    test("up again says that it is up", async () => {
      expect(await shared.cluster.up()).toContain("up already");
    });

    test("apply brings three running replicas", async () => {
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
      test("ctr sees the containers", async () => {
        const tasks = new Set((await Promise.all(shared.cluster.nodes.map(tasksSeenByCtr))).flat());
        const ids = (await pods()).map((pod) =>
          pod.status.containerStatuses?.[0]?.containerID?.replace("containerd://", ""),
        );
        expect(ids.filter((id) => id !== undefined && tasks.has(id))).toHaveLength(3);
      });

      test("every pod answers at its address", async () => {
        expect(new Set((await pods()).map((pod) => pod.status.podIP)).size).toBe(3);
        expect(await greetings()).toEqual(["Hello", "Hello", "Hello"]);
      });
    }

    test("the addresses of pods are from the range that the spec of their node names", async () => {
      interface Placed {
        readonly spec: { readonly nodeName: string };
        readonly status: { readonly podIP: string };
      }
      interface Node {
        readonly metadata: { readonly name: string };
        readonly spec: { readonly podCIDR?: string };
      }
      const nodes = await kubectl.json<List<Node>>("get", "nodes");
      const placed = await kubectl.json<List<Placed>>("get", "pods", "-n", "demo", "-l", "app=web");
      expect(placed.items.length).toBeGreaterThan(0);
      for (const { spec, status } of placed.items) {
        const node = nodes.items.find(({ metadata }) => metadata.name === spec.nodeName);
        const [network = "", prefix] = (node?.spec.podCIDR ?? "").split("/");
        const range = new BlockList();
        range.addSubnet(network, Number(prefix));
        expect(range.check(status.podIP)).toBe(true);
      }
    });

    test("its endpoints are the pods", async () => {
      const addresses = await poll({ what: "three endpoints", timeoutMs: 120_000 }, async () => {
        const { subsets } = await kubectl.json<{
          readonly subsets?: readonly { readonly addresses?: readonly unknown[] }[];
        }>("get", "endpoints", "web", "-n", "demo");
        const found = subsets?.flatMap((subset) => subset.addresses ?? []);
        return found?.length === 3 && found;
      });
      expect(addresses).toHaveLength(3);
    });

    test("logs", async () => {
      const [pod] = await pods();
      const name = pod?.metadata.name ?? "";
      expect(await kubectl("logs", name, "-n", "demo")).toContain(`${name} serves on ${pod?.status.podIP}:8080`);
    });

    test("exec", async () => {
      const [pod] = await pods();
      expect(await kubectl("exec", pod?.metadata.name ?? "", "-n", "demo", "--", "id")).toMatch(/^uid=0\(root\)/);
    });

    test("scale up and down", async () => {
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

    test("a changed template rolls out, and undo brings the old one back", async () => {
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

    test("no container ran twice", async () => {
      for (const node of shared.cluster.nodes) expect(runningTwice(await runningContainers(node))).toEqual([]);
    });

    test("delete takes the namespace and its containers away", async () => {
      await kubectl("delete", "-f", examples, "--timeout=240s");
      await expect(kubectl("get", "namespace", "demo")).rejects.toThrow(/NotFound/);
      await poll({ what: "the containers to be gone", timeoutMs: 120_000 }, async () => {
        const left = await Promise.all(shared.cluster.nodes.map(runningContainers));
        return left.flat().every(({ namespace }) => namespace !== "demo");
      });
    });
  });
}
