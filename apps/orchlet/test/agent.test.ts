import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { createCriClient } from "@orchernetes/cri";
import { containerdUnavailable, startContainerd, type TestContainerd } from "@orchernetes/cri/testing";
import { mountsBelow, removeCgroups, unmountAndRemove } from "@orchernetes/host";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../src/config.ts";
import { type Agent, startAgent } from "../src/server.ts";
import { testPod } from "../src/testing/pods.ts";

const missing = await containerdUnavailable();
const pods = "/api/v1/pods";

describe.skipIf(missing !== undefined)(
  `the agent on a real containerd${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let containerd: TestContainerd;
    let api: FakeApiServer;
    let agent: Agent;
    let dir: string;
    let port: number;

    async function start(): Promise<void> {
      const settings = orchletConfigurationSchema.parse({
        apiVersion: "orchlet.config.o8s.io/v1beta1",
        kind: "OrchletConfiguration",
        address: "127.0.0.1",
        port,
        healthzPort: 0,
        authorization: { mode: "AlwaysAllow" },
        authentication: { anonymous: { enabled: true } },
        containerRuntimeEndpoint: containerd.endpoint,
        cgroupRoot: `/o8s-test-${process.pid}`,
        staticPodPath: join(dir, "manifests"),
        fileCheckFrequency: "1s",
        failSwapOn: false,
        evictionHard: {},
        podPidsLimit: 100,
        memorySwap: { swapBehavior: "UnlimitedSwap" },
      });
      const config: Config = {
        settings,
        nodeName: "node-a",
        nodeIPs: ["127.0.0.1"],
        nodeLabels: {},
        registerSchedulable: true,
        rootDir: join(dir, "root"),
        certDir: join(dir, "pki"),
        api: { server: api.url },
        logMaxBytes: 1e7,
        deadContainersPerContainer: 1,
        featureEnabled: (gate) => gate === "NodeSwap",
        metricFlags: {
          "allow-metric-labels": new Map(),
          "disabled-metrics": [],
          "show-hidden-metrics-for-version": "",
        },
        warnings: [],
      };
      agent = await startAgent(config, {
        logger: silentLogger,
        signal: new AbortController().signal,
        explicit: new Set(),
        flushLogs: () => undefined,
      });
    }

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "o8s-agent-"));
      await mkdirs(join(dir, "root"), join(dir, "manifests"));
      port = await freePort();
      containerd = await startContainerd();
      api = await startFakeApiServer();
      await start();
    }, 180_000);
    afterAll(async () => {
      await agent?.stop();
      await containerd?.stop();
      await api?.close();
      await unmountAndRemove(dir);
      await removeCgroups(`o8s-test-${process.pid}`);
    }, 180_000);

    function create(name: string, container: object, spec: object = {}): void {
      const pod = testPod(
        {
          nodeName: "node-a",
          terminationGracePeriodSeconds: 1,
          ...spec,
          containers: [{ name: "c", image: "localhost/busybox:1", ...container }],
        },
        { name, uid: `uid-${name}` },
      );
      api.put(pods, pod as unknown as FakeObject);
    }
    const shown = (name: string) =>
      api.objects(pods).find(({ metadata }) => metadata.name === name) as ReturnType<typeof testPod> | undefined;
    const until = (name: string, want: (pod: ReturnType<typeof testPod>) => unknown) =>
      expect
        .poll(
          () => {
            const pod = shown(name);
            return pod !== undefined && Boolean(want(pod));
          },
          { timeout: 90_000, interval: 50 },
        )
        .toBe(true);

    test("registers its node as ready, and keeps a lease", async () => {
      await expect
        .poll(() => api.objects("/api/v1/nodes")[0], { timeout: 90_000 })
        .toMatchObject({
          metadata: { name: "node-a", labels: { "orchernetes.io/hostname": "node-a" } },
          status: {
            conditions: expect.arrayContaining([
              expect.objectContaining({ type: "Ready", status: "True", reason: "OrchletReady" }),
            ]),
            daemonEndpoints: { orchletEndpoint: { Port: port } },
          },
        });
      await expect
        .poll(() => api.objects("/apis/coordination.o8s.io/v1/leases")[0], { timeout: 90_000 })
        .toMatchObject({ spec: { holderIdentity: "node-a", leaseDurationSeconds: 40 } });
    }, 180_000);

    test("runs init containers and containers in order and serves their logs", async () => {
      create(
        "ordered",
        { command: ["sh", "-c", "cat /d/x; sleep 600"], volumeMounts: [{ name: "d", mountPath: "/d" }] },
        {
          initContainers: [
            {
              name: "i",
              image: "localhost/busybox:1",
              command: ["sh", "-c", "echo $WHO > /d/x"],
              env: [{ name: "WHO", value: "hello" }],
              volumeMounts: [{ name: "d", mountPath: "/d" }],
            },
          ],
          volumes: [{ name: "d", emptyDir: {} }],
        },
      );
      await until("ordered", ({ status }) => status.phase === "Running" && status.podIP);
      expect(shown("ordered")?.status.initContainerStatuses?.[0]).toMatchObject({
        ready: true,
        state: { terminated: { exitCode: 0 } },
      });
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
      await expect
        .poll(async () => await (await fetch(`https://127.0.0.1:${port}/containerLogs/default/ordered/c`)).text(), {
          timeout: 90_000,
        })
        .toBe("hello\n");
      const waiting = await fetch(`https://127.0.0.1:${port}/containerLogs/default/ordered/nope`);
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      expect(waiting.status).toBe(404);
    }, 180_000);

    test.each([
      ["done", { command: ["true"] }, "Succeeded", "Completed", 0],
      ["broken", { command: ["sh", "-c", "echo why > /dev/termination-log; exit 3"] }, "Failed", "Error", 3],
    ])(
      "a pod that is %s ends with its phase",
      async (name, container, phase, reason, exitCode) => {
        create(name, container, { restartPolicy: "Never", volumes: [{ name: "m", emptyDir: { medium: "Memory" } }] });
        await until(name, ({ status }) => status.phase === phase);
        expect(shown(name)?.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ reason, exitCode });
        if (name === "broken")
          expect(shown(name)?.status.containerStatuses?.[0]?.state.terminated?.message).toBe("why\n");
        // It stays in the API, but holds no memory and no control group any more.
        const folder = join(dir, "root/pods", `uid-${name}`);
        await expect
          .poll(async () => [await mountsBelow(folder), (await readdir(folder)).sort()])
          .toEqual([[], ["containers", "etc-hosts"]]);
        // The control groups go after the volumes.
        await expect.poll(() => cgroupsOf(`uid-${name}`), { timeout: 30_000 }).toEqual([]);
      },
      180_000,
    );

    // shows: podPidsLimit, memorySwap.swapBehavior
    test("a pod has no more processes than podPidsLimit, and swaps as swapBehavior says", async () => {
      const resources = { limits: { cpu: "1", memory: "64Mi" } };
      const script = "i=0; while [ $i -lt 150 ]; do sleep 60 & i=$((i+1)); done; echo all";
      create(
        "forks",
        { command: ["sh", "-c", script], resources, terminationMessagePolicy: "FallbackToLogsOnError" },
        { restartPolicy: "Never" },
      );
      create("swaps", { command: ["sleep", "600"], resources });
      await until("forks", ({ status }) => status.phase === "Failed");
      expect(shown("forks")?.status.containerStatuses?.[0]?.state.terminated?.message).toContain("can't fork");
      await until("swaps", ({ status }) => status.phase === "Running");
      const id = shown("swaps")?.status.containerStatuses?.[0]?.containerID?.replace("containerd://", "") ?? "";
      const group = join("/sys/fs/cgroup/memory", `o8s-test-${process.pid}/orchpods/poduid-swaps`, id);
      const limit = (file: string) => Number(readFileSync(join(group, file), "utf8"));
      // Kernels of version 1 count swap only if they are told to.
      if (!existsSync(join(group, "memory.memsw.limit_in_bytes"))) return;
      expect(limit("memory.limit_in_bytes")).toBe(64 * 1024 ** 2);
      expect(limit("memory.memsw.limit_in_bytes")).toBeGreaterThan(2 ** 60);
    }, 180_000);

    test("a crashing container is restarted, and then waits for its back-off", async () => {
      create("crash", { command: ["false"] });
      await until("crash", ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === "CrashLoopBackOff");
      expect(shown("crash")?.status.containerStatuses?.[0]).toMatchObject({
        restartCount: 1,
        lastState: { terminated: { exitCode: 1 } },
      });
    }, 180_000);

    test("an image that must not be pulled is reported", async () => {
      create("noimage", { image: "localhost/none:1", imagePullPolicy: "Never" });
      await until(
        "noimage",
        ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === "ErrImageNeverPull",
      );
    }, 180_000);

    test("a new agent takes over the containers of a stopped one", async () => {
      const before = shown("ordered")?.status.containerStatuses?.[0]?.containerID;
      await agent.stop();
      create("later", { command: ["sleep", "600"] });
      await start();
      await until("later", ({ status }) => status.phase === "Running");
      expect(shown("ordered")?.status.containerStatuses?.[0]).toMatchObject({ containerID: before, restartCount: 0 });
      const cri = createCriClient({ endpoint: containerd.endpoint });
      const { containers } = await cri.runtime.listContainers({
        filter: { labelSelector: { "io.orchernetes.pod.name": "ordered", "io.orchernetes.container.name": "c" } },
      });
      cri.close();
      expect(containers).toHaveLength(1);
    }, 180_000);

    test("a static pod runs and has a mirror pod", async () => {
      await writeFile(
        join(dir, "manifests", "s.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: st}\nspec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: 'localhost/busybox:1', command: [sleep, '600']}]}\n",
      );
      await until(
        "st-node-a",
        ({ status, metadata }) => status.phase === "Running" && metadata.annotations?.["orchernetes.io/config.mirror"],
      );
      await rm(join(dir, "manifests", "s.yaml"));
      await expect.poll(() => shown("st-node-a"), { timeout: 90_000 }).toBeUndefined();
    }, 180_000);

    test.each([
      [
        "a host port that is taken",
        "refused-port",
        { ports: [{ containerPort: 80, hostPort: 41_080 }] },
        {},
        { reason: "NodePorts", message: "Pod was rejected: Predicate NodePorts failed" },
      ],
      [
        "a kernel setting that is not allowed",
        "refused-sysctl",
        {},
        { securityContext: { sysctls: [{ name: "kernel.shmmax", value: "1" }] } },
        {
          reason: "SysctlForbidden",
          message: 'Pod was rejected: forbidden sysctl: "kernel.shmmax" not allowlisted',
        },
      ],
    ])(
      "a pod with %s is rejected",
      async (_, name, container, spec, want) => {
        if (name === "refused-port") {
          create("port-owner", { command: ["sleep", "600"], ...container });
          await until("port-owner", ({ status }) => status.phase === "Running");
        }
        create(name, container, spec);
        await until(name, ({ status }) => status.phase === "Failed");
        expect(shown(name)?.status).toMatchObject(want);
        api.remove(pods, `default/${name}`);
      },
      180_000,
    );

    test("a safe sysctl is set in the pod, and its runtime class is passed to the runtime", async () => {
      create(
        "tuned",
        { command: ["sh", "-c", "cat /proc/sys/net/ipv4/ip_unprivileged_port_start; sleep 600"] },
        {
          securityContext: { sysctls: [{ name: "net/ipv4/ip_unprivileged_port_start", value: "81" }] },
        },
      );
      create("odd", { command: ["true"] }, { runtimeClassName: "odd" });
      await until("tuned", ({ status }) => status.phase === "Running");
      const cri = createCriClient({ endpoint: containerd.endpoint });
      const { containers } = await cri.runtime.listContainers({
        filter: { labelSelector: { "io.orchernetes.pod.name": "tuned" } },
      });
      const { stdout } = await cri.runtime.execSync({
        containerId: containers[0]?.id ?? "",
        cmd: ["cat", "/proc/sys/net/ipv4/ip_unprivileged_port_start"],
        timeout: 10,
      });
      cri.close();
      expect(Buffer.from(stdout).toString()).toBe("81\n");
      const messages = () =>
        api
          .objects("/api/v1/events")
          .filter(({ reason }) => reason === "FailedCreatePodSandBox")
          .map(({ message }) => String(message));
      await expect
        .poll(messages, { timeout: 90_000 })
        .toContainEqual(expect.stringMatching(/runtimeclasses.node.o8s.io "odd" not found/));
      api.put("/apis/node.o8s.io/v1/runtimeclasses", { metadata: { name: "odd" }, handler: "no-such-handler" });
      await expect.poll(messages, { timeout: 90_000 }).toContainEqual(expect.stringMatching(/no-such-handler/));
      api.remove(pods, "default/odd");
    }, 180_000);

    test("an extended resource in the node's capacity becomes allocatable, and is removed with it", async () => {
      const node = () => api.objects("/api/v1/nodes")[0] as FakeObject & { status: Record<string, object> };
      const capacity = node().status.capacity;
      api.put("/api/v1/nodes", {
        ...node(),
        status: { ...node().status, capacity: { ...capacity, "example.com/fpga": "5" } },
      });
      await expect.poll(() => node().status.allocatable, { timeout: 9000 }).toMatchObject({ "example.com/fpga": "5" });
      expect(node().status.capacity).toMatchObject({ "example.com/fpga": "5" });
    }, 180_000);

    test("while the API server is unavailable, static pods start, no pod is terminated, and the agent stays healthy", async () => {
      await agent.stop();
      api.hook = () => "drop";
      api.endWatches();
      await start();
      await writeFile(
        join(dir, "manifests", "alone.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: alone}\nspec: {terminationGracePeriodSeconds: 1, containers: [{name: c, image: 'localhost/busybox:1', command: [sleep, '600']}]}\n",
      );
      const cri = createCriClient({ endpoint: containerd.endpoint });
      const running = async () => {
        const { containers } = await cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } });
        return containers.map(({ labels }) => labels["io.orchernetes.pod.name"]).sort();
      };
      await expect.poll(running, { timeout: 90_000 }).toContain("alone-node-a");
      expect(await running()).toContain("port-owner");
      api.remove(pods, "default/port-owner");
      api.hook = undefined;
      await expect.poll(running, { timeout: 90_000 }).not.toContain("port-owner");
      expect(await running()).toContain("alone-node-a");
      cri.close();
      await rm(join(dir, "manifests", "alone.yaml"));
    }, 180_000);

    test("a deleted pod is terminated, and then removed from the API server and the runtime", async () => {
      const pod = shown("ordered");
      api.put(pods, {
        ...(pod as unknown as FakeObject),
        metadata: {
          ...pod?.metadata,
          deletionTimestamp: new Date().toISOString(),
          deletionGracePeriodSeconds: 1,
          finalizers: ["test"],
        },
      });
      const deleted = () =>
        api.requests.some(
          ({ method, path }) => method === "DELETE" && path === "/api/v1/namespaces/default/pods/ordered",
        );
      await expect.poll(deleted, { timeout: 90_000 }).toBe(true);
      const cri = createCriClient({ endpoint: containerd.endpoint });
      const { items } = await cri.runtime.listPodSandbox({
        filter: { labelSelector: { "io.orchernetes.pod.name": "ordered" } },
      });
      cri.close();
      expect(items).toEqual([]);
    }, 180_000);
  },
);

/** Control groups of a pod, in all hierarchies. */
function cgroupsOf(uid: string): readonly string[] {
  const root = "/sys/fs/cgroup";
  return ["", ...readdirSync(root)]
    .flatMap((tree) =>
      ["", "burstable", "besteffort"].map((qos) => join(root, tree, `o8s-test-${process.pid}/orchpods`, qos)),
    )
    .map((folder) => join(folder, `pod${uid}`))
    .filter((path) => existsSync(path));
}

async function mkdirs(...paths: readonly string[]): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  for (const path of paths) await mkdir(path, { recursive: true });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
