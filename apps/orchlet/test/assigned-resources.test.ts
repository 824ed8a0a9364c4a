import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { createCriClient } from "@orchernetes/cri";
import { containerdUnavailable, startContainerd, type TestContainerd } from "@orchernetes/cri/testing";
import { removeCgroups, unmountAndRemove } from "@orchernetes/host";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPodResources } from "../src/container-manager/pod-resources/pod-resources-api.ts";
import { type Agent, startAgent } from "../src/server.ts";
import { testConfig } from "../src/testing/config.ts";
import { TestDevicePlugin } from "../src/testing/device-plugin.ts";
import { testPod } from "../src/testing/pods.ts";

const missing = (await containerdUnavailable()) ?? (availableParallelism() < 2 ? "two CPUs" : undefined);
const pods = "/api/v1/pods";
const card = "example.com/card";
const wait = { timeout: 90_000, interval: 50 };

describe.skipIf(missing !== undefined)(
  `CPUs and devices on a real containerd${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let containerd: TestContainerd;
    let api: FakeApiServer;
    let agent: Agent;
    let dir: string;
    let plugin: TestDevicePlugin;
    const cgroupRoot = `/o8s-test-assigned-${process.pid}`;

    async function start(): Promise<void> {
      const config = testConfig(dir, {
        settings: {
          ...{ cgroupRoot, cgroupsPerQOS: true, failSwapOn: false, containerRuntimeEndpoint: containerd.endpoint },
          ...{ cpuManagerPolicy: "static", cpuManagerReconcilePeriod: "200ms", reservedSystemCPUs: "0" },
        },
        api: { server: api.url },
        featureEnabled: (gate) => gate.startsWith("OrchletPodResources"),
      });
      agent = await startAgent(config, {
        ...{ logger: silentLogger, signal: new AbortController().signal },
        ...{ explicit: new Set<string>(), flushLogs: () => undefined },
      });
      while (!existsSync(join(dir, "root/device-plugins/orchlet.sock"))) await systemClock.sleep(20);
    }

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "o8s-assigned-"));
      containerd = await startContainerd();
      api = await startFakeApiServer();
      await start();
      plugin = new TestDevicePlugin(join(dir, "root/device-plugins"), card, [{ id: "a" }, { id: "b" }], {
        preStartRequired: true,
        allocate: ({ containerRequests: [request] }) => ({
          containerResponses: [
            {
              envs: { CARDS: request?.deviceIds.join(",") ?? "" },
              devices: [{ containerPath: "/dev/card", hostPath: "/dev/zero", permissions: "r" }],
              mounts: [{ containerPath: "/driver", hostPath: dir, readOnly: true }],
              annotations: { "example.com/cards": "yes" },
              cdiDevices: [],
            },
          ],
        }),
      });
      await plugin.start();
    }, 180_000);
    afterAll(async () => {
      await agent?.stop();
      await plugin?.stop();
      await containerd?.stop();
      await api?.close();
      await unmountAndRemove(dir);
      await removeCgroups(cgroupRoot.slice(1));
    }, 180_000);

    function create(name: string, limits: Readonly<Record<string, string>> = {}): void {
      const pod = testPod(
        {
          nodeName: "node-a",
          terminationGracePeriodSeconds: 1,
          containers: [{ name: "c", image: "localhost/busybox:1", command: ["sleep", "600"], resources: { limits } }],
        },
        { name, uid: `uid-${name}` },
      );
      api.put(pods, pod as unknown as FakeObject);
    }
    const statusOf = (name: string) =>
      (api.objects(pods).find(({ metadata }) => metadata.name === name) as ReturnType<typeof testPod> | undefined)
        ?.status;
    const phaseOf = (name: string) => statusOf(name)?.phase;
    const amounts = () => {
      const node = api.objects("/api/v1/nodes")[0] as
        | { status: { capacity: Record<string, string>; allocatable: Record<string, string> } }
        | undefined;
      return [node?.status.capacity[card], node?.status.allocatable[card]];
    };
    /** What a command in a pod's container prints. */
    async function output(name: string, script: string): Promise<string> {
      const cri = createCriClient({ endpoint: containerd.endpoint });
      try {
        const { containers } = await cri.runtime.listContainers({
          filter: { state: { state: "CONTAINER_RUNNING" }, labelSelector: { "io.orchernetes.pod.name": name } },
        });
        const cmd = ["sh", "-c", script];
        const { stdout } = await cri.runtime.execSync({ containerId: containers[0]?.id ?? "", cmd, timeout: 10 });
        return Buffer.from(stdout).toString().trim();
      } finally {
        cri.close();
      }
    }
    const cpusOf = (name: string) => output(name, "grep Cpus_allowed_list /proc/1/status | cut -f2").catch(String);

    test("the node shows the devices of a plugin until it disconnects, and again when it returns", async () => {
      await expect.poll(amounts, wait).toEqual(["2", "2"]);
      await plugin.stop();
      await expect.poll(amounts, wait).toEqual(["2", "0"]);
      await plugin.start();
      await expect.poll(amounts, wait).toEqual(["2", "2"]);
    }, 180_000);

    // shows: cpuManagerPolicy
    test("a container gets an exclusive CPU and what its device needs; other containers share the remaining CPUs", async () => {
      create("shared");
      await expect.poll(() => phaseOf("shared"), wait).toBe("Running");
      const all = await cpusOf("shared");
      expect(all.startsWith("0")).toBe(true);
      create("alone", { cpu: "1", memory: "64Mi", [card]: "1" });
      await expect.poll(() => phaseOf("alone"), wait).toBe("Running");
      expect(await cpusOf("alone")).toBe("1");
      await expect.poll(() => cpusOf("shared"), wait).not.toMatch(/1/);
      expect(await output("alone", "echo $CARDS; head -c 3 /dev/card | wc -c; ls /driver | head -1")).toMatch(
        /^[ab]\n3\nroot$/,
      );
      expect(plugin.calls.map((call) => call.split(" ")[0])).toEqual(["allocate", "start"]);
    }, 180_000);

    test("programs on the node see which pod has which resources", async () => {
      const { calls, close } = openPodResources(join(dir, "root/pod-resources/orchlet.sock"));
      try {
        const { podResources } = await calls.get({ podName: "alone", podNamespace: "default" });
        expect(podResources?.containers).toMatchObject([{ name: "c", devices: [{ resourceName: card }], cpuIds: [1] }]);
        const names = (await calls.list({})).podResources.map(({ name }) => name);
        expect(names.toSorted()).toEqual(["alone", "shared"]);
        expect((await calls.getAllocatableResources({})).devices).toMatchObject([{ deviceIds: ["a", "b"] }]);
      } finally {
        close();
      }
    }, 180_000);

    test.each<[string, Readonly<Record<string, string>>, string]>([
      [
        "devices",
        { [card]: "2" },
        "requested number of devices unavailable for example.com/card. Requested: 2, Available: 1",
      ],
      [
        "CPUs",
        { cpu: String(availableParallelism() - 1), memory: "64Mi" },
        "not enough cpus available to satisfy request",
      ],
    ])(
      "a pod that requests more %s than are left fails",
      async (name, limits, cause) => {
        create(name.toLowerCase(), limits);
        await expect.poll(() => phaseOf(name.toLowerCase()), wait).toBe("Failed");
        expect(statusOf(name.toLowerCase())).toMatchObject({
          reason: "UnexpectedAdmissionError",
          message: `Pod was rejected: Allocate failed due to ${cause}, which is unexpected`,
        });
      },
      180_000,
    );

    test("after a restart of the agent, the container keeps its resources, which are free when the pod has terminated", async () => {
      await agent.stop();
      await plugin.stop();
      await start();
      await plugin.start();
      await expect.poll(amounts, wait).toEqual(["2", "2"]);
      expect(await cpusOf("alone")).toBe("1");
      create("late", { [card]: "2" });
      await expect.poll(() => phaseOf("late"), wait).toBe("Failed");
      api.remove(pods, "default/alone");
      await expect.poll(() => cpusOf("shared"), wait).toMatch(/1/);
      create("next", { cpu: "1", memory: "64Mi", [card]: "2" });
      await expect.poll(() => phaseOf("next"), wait).toBe("Running");
      expect(await cpusOf("next")).toBe("1");
      expect((await output("next", "echo $CARDS")).split(",").toSorted()).toEqual(["a", "b"]);
    }, 180_000);
  },
);
