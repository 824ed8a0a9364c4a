import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";
import type { List } from "../../src/types.ts";

const mib = 1024 ** 2;
const mount = "/sys/fs/cgroup";

const podOf = (name: string, script: string, resources: object, restartPolicy = "Always") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 1,
    restartPolicy,
    containers: [
      {
        name: "c",
        image: "localhost/busybox:1",
        imagePullPolicy: "IfNotPresent",
        command: ["sh", "-c", script],
        resources,
      },
    ],
  },
});

const busy = podOf("busy", "while :; do :; done", { limits: { cpu: "100m", memory: "64Mi" } });
const idle = podOf("idle", "while :; do sleep 1; done", {});
// Reads a line without end into memory.
const greedy = podOf("greedy", "tail /dev/zero", { limits: { cpu: "500m", memory: "32Mi" } }, "Never");

interface Found {
  readonly uid: string;
  readonly node: string;
}

/** Pods whose containers the kernel really limits. Groups are looked at on this host, where the nodes are. */
export function limitsSuite(shared: SharedCluster): void {
  describe.skipIf(existsSync(join(mount, "cgroup.controllers")))("limits of containers", () => {
    shared.useNamespace("limits");
    const kubectl = shared.kubectl("limits");
    beforeAll(async () => {
      const file = join(shared.cluster.dataDir, "limits.json");
      writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: [busy, idle, greedy] }));
      await kubectl("apply", "-f", file);
      await kubectl("wait", "--for=condition=Ready", "pod/busy", "pod/idle", "--timeout=120s");
    });

    const find = async (name: string): Promise<Found> => {
      const [uid = "", node = ""] = (
        await kubectl("get", "pod", name, "-o", "jsonpath={.metadata.uid} {.spec.nodeName}")
      ).split(" ");
      return { uid, node };
    };
    /** The group of all pods of a node. */
    const rootOf = (node: string): string => {
      const { nodes } = JSON.parse(readFileSync(`${shared.cluster.dataDir}/cluster.json`, "utf8")) as {
        readonly nodes: readonly { readonly name: string; readonly bridge: string }[];
      };
      return `orchernetes-${nodes.find(({ name }) => name === node)?.bridge}/orchpods`;
    };
    const read = (controller: string, group: string, file: string) =>
      readFileSync(join(mount, controller, group, file), "utf8").trim();
    /** Groups of the containers of a pod, that of its sandbox among them. */
    const containersIn = (group: string): readonly string[] =>
      readdirSync(join(mount, "cpu", group), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(group, name));
    const scoresIn = (group: string): readonly number[] =>
      containersIn(group).flatMap((container) =>
        read("cpu", container, "cgroup.procs")
          .split("\n")
          .filter((pid) => pid !== "")
          .map((pid) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"))),
      );

    test("a busy container gets no more CPU time than its limit", async () => {
      const { uid, node } = await find("busy");
      const group = `${rootOf(node)}/pod${uid}`;
      expect(read("cpu", group, "cpu.cfs_quota_us")).toBe("10000");
      expect(read("memory", group, "memory.limit_in_bytes")).toBe(String(64 * mib));
      const usedMs = () => Number(read("cpuacct", group, "cpuacct.usage")) / 1e6;
      await poll({ what: "a container that waits for CPU time" }, async () =>
        containersIn(group).some((one) => Number(/nr_throttled (\d+)/.exec(read("cpu", one, "cpu.stat"))?.[1]) > 5)
          ? true
          : undefined,
      );
      const [beforeMs, beganMs] = [usedMs(), performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const share = (usedMs() - beforeMs) / (performance.now() - beganMs);
      expect(share).toBeGreaterThan(0.02);
      expect(share).toBeLessThan(0.2);
    });

    test("a container that takes more memory than its limit is killed for it", async () => {
      const reason = "{.status.containerStatuses[0].state.terminated.reason}";
      await poll({ what: "the end of the greedy container", timeoutMs: 60_000 }, async () =>
        (await kubectl("get", "pod", "greedy", "-o", `jsonpath=${reason}`)) === "OOMKilled" ? true : undefined,
      );
    });

    test("containers without requests are killed first when the host runs out of memory", async () => {
      const { uid, node } = await find("idle");
      const group = `${rootOf(node)}/besteffort/pod${uid}`;
      expect(read("cpu", group, "cpu.shares")).toBe("2");
      expect(Math.max(...scoresIn(group))).toBe(1000);
    });

    test("all pods of a node together have its allocatable memory, and an event says so", async () => {
      const { node } = await find("idle");
      const capacity = await kubectl("get", "node", node, "-o", "jsonpath={.status.capacity.memory}");
      expect(read("memory", rootOf(node), "memory.limit_in_bytes")).toBe(String(Number.parseInt(capacity, 10) * 1024));
      expect(Number(read("pids", rootOf(node), "pids.max"))).toBeGreaterThan(1000);
      const { items } = await kubectl.json<List<{ readonly reason: string }>>(
        ...["get", "events", "-n", "default", "--field-selector", `involvedObject.name=${node}`],
      );
      expect(items.map((event) => event.reason)).toContain("NodeAllocatableEnforced");
    });

    test("the group of a pod that nobody knows is deleted, and its processes end", async () => {
      const { node } = await find("busy");
      const group = `${rootOf(node)}/besteffort/podunknown`;
      const process = spawn("sleep", ["300"], { stdio: "ignore" });
      const ended = once(process, "exit");
      for (const tree of ["cpu", "memory"]) {
        mkdirSync(join(mount, tree, group));
        writeFileSync(join(mount, tree, group, "cgroup.procs"), String(process.pid));
      }
      // The agent looks each minute.
      const left = () => ["cpu", "memory"].filter((tree) => existsSync(join(mount, tree, group)));
      await expect.poll(left, { timeout: 90_000, interval: 500 }).toEqual([]);
      expect((await ended)[1]).toBe("SIGKILL");
    }, 120_000);

    test("the group of a pod goes with the pod", async () => {
      const { uid, node } = await find("idle");
      await kubectl("delete", "pod", "idle", "--wait=true");
      const left = () =>
        ["cpu", "memory", "pids"].filter((tree) =>
          existsSync(join(mount, tree, rootOf(node), "besteffort", `pod${uid}`)),
        );
      await expect.poll(left, { timeout: 30_000 }).toEqual([]);
    });
  });
}
