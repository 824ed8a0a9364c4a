import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { containerdUnavailable, startContainerd, type TestContainerd } from "@orchernetes/cri/testing";
import { canMount, mountTmpfs, removeCgroups, unmountAndRemove } from "@orchernetes/host";
import { silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Agent, startAgent } from "../src/server.ts";
import { testConfig } from "../src/testing/config.ts";
import { testPod } from "../src/testing/pods.ts";

const missing = (await canMount()) ? await containerdUnavailable() : "it may not mount";
const cgroupRoot = `o8s-evict-${process.pid}`;

/** Bytes and inodes of the disk of the agent's folder. */
const diskBytes = 128 * 1024 * 1024;
const diskInodes = 4000;

describe.skipIf(missing !== undefined)(
  `a node that runs out of a resource${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let dir: string;
    let containerd: TestContainerd;
    let api: FakeApiServer;
    let agent: Agent;

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), "o8s-evict-"));
      mkdirSync(join(dir, "root"));
      await mountTmpfs(join(dir, "root"), [`size=${diskBytes}`, `nr_inodes=${diskInodes}`, "mode=0755"]);
      containerd = await startContainerd();
      api = await startFakeApiServer();
      const config = testConfig(dir, {
        settings: {
          containerRuntimeEndpoint: containerd.endpoint,
          cgroupRoot: `/${cgroupRoot}`,
          cgroupsPerQOS: true,
          enforceNodeAllocatable: ["pods"],
          failSwapOn: false,
          evictionHard: { "memory.available": "100Mi", "nodefs.available": "50%", "nodefs.inodesFree": "50%" },
          evictionPressureTransitionPeriod: "5s",
          kernelMemcgNotification: true,
          volumeStatsAggPeriod: "1s",
        },
        api: { server: api.url },
        featureEnabled: (gate) => gate === "PodDisruptionConditions",
      });
      agent = await startAgent(config, {
        logger: silentLogger,
        signal: new AbortController().signal,
        explicit: new Set(),
        flushLogs: () => undefined,
      });
    }, 180_000);
    afterAll(async () => {
      await agent?.stop();
      await containerd?.stop();
      await api?.close();
      await unmountAndRemove(dir);
      await removeCgroups(cgroupRoot);
    }, 180_000);

    function create(name: string, command: string, spec: object = {}, limits: object = {}): void {
      const container = {
        name: "c",
        image: "localhost/busybox:1",
        command: ["sh", "-c", command],
        resources: { limits },
      };
      const pod = testPod(
        {
          nodeName: "node-a",
          terminationGracePeriodSeconds: 1,
          containers: [
            { ...container, volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] },
            // Its limit raises that of the pod above that of the first container.
            { ...container, name: "idle", command: ["sleep", "600"], ...("ephemeral-storage" in limits && roomy) },
          ],
          volumes: [{ name: "scratch", emptyDir: {} }],
          ...spec,
        },
        { name, uid: `uid-${name}` },
      );
      api.put("/api/v1/pods", pod as unknown as FakeObject);
    }
    const roomy = { resources: { limits: { "ephemeral-storage": "20Mi" } } };
    const shown = (name: string) =>
      api.objects("/api/v1/pods").find(({ metadata }) => metadata.name === name) as core.Pod | undefined;
    const events = () =>
      api.objects("/api/v1/events").map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
    const until = (name: string, status: object) =>
      expect.poll(() => shown(name)?.status, { timeout: 90_000, interval: 100 }).toMatchObject(status);
    const untilCondition = (type: string, status: string) =>
      expect
        .poll(
          () =>
            (api.objects("/api/v1/nodes")[0] as core.Node | undefined)?.status?.conditions?.find(
              (condition) => condition.type === type,
            )?.status,
          { timeout: 90_000, interval: 100 },
        )
        .toBe(status);

    test.each<[name: string, command: string, spec: object, limits: object, message: string]>([
      [
        "volume",
        "head -c 9000000 /dev/zero > /scratch/file; sleep 600",
        { volumes: [{ name: "scratch", emptyDir: { sizeLimit: "5Mi" } }] },
        {},
        'Usage of EmptyDir volume "scratch" exceeds the limit "5Mi". ',
      ],
      [
        "log",
        "head -c 9000000 /dev/zero | tr '\\0' a; sleep 600",
        {},
        { "ephemeral-storage": "5Mi" },
        'Container c exceeded its local ephemeral storage limit "5Mi". ',
      ],
    ])(
      "a pod that exceeds the limit of a %s is evicted",
      async (name, command, spec, limits, message) => {
        create(name, command, spec, limits);
        await until(name, { phase: "Failed", reason: "Evicted", message });
        expect(events()).toContain(`Evicted: ${message}`);
        expect(shown(name)?.status?.conditions?.map(({ type }) => type)).not.toContain("DisruptionTarget");
      },
      180_000,
    );

    test.each([
      ["bytes", "head -c 90000000 /dev/zero > /scratch/file", "ephemeral-storage"],
      ["inodes", "i=0; while [ $i -lt 2500 ]; do : > /scratch/$i; i=$((i+1)); done", "inodes"],
    ])(
      "when %s of the disk run out, the pod that uses most is evicted, and the pressure ends",
      async (name, command, resource) => {
        create(`modest-${name}`, "sleep 600");
        await until(`modest-${name}`, { phase: "Running" });
        create(`greedy-${name}`, `${command}; sleep 600`);
        await untilCondition("DiskPressure", "True");
        await until(`greedy-${name}`, { phase: "Failed", reason: "Evicted" });
        const { message, conditions } = shown(`greedy-${name}`)?.status ?? {};
        expect(message).toContain(`The node was low on resource: ${resource}. Threshold quantity: `);
        expect(conditions).toContainEqual(expect.objectContaining({ type: "DisruptionTarget", status: "True" }));
        expect(events()).toContain(`EvictionThresholdMet: Attempting to reclaim ${resource}`);
        await untilCondition("DiskPressure", "False");
        expect(shown(`modest-${name}`)?.status?.phase).toBe("Running");
      },
      180_000,
    );

    test("when the limit of all pods is nearly reached, the pod that uses most memory is evicted", async () => {
      create("modest-memory", "sleep 600");
      await until("modest-memory", { phase: "Running" });
      const v1 = `/sys/fs/cgroup/memory/${cgroupRoot}/orchpods`;
      const limit = existsSync(v1)
        ? join(v1, "memory.limit_in_bytes")
        : `/sys/fs/cgroup/${cgroupRoot}/orchpods/memory.max`;
      writeFileSync(limit, "300M");
      // Pages of a file in memory are not reclaimed.
      const memory = { volumes: [{ name: "scratch", emptyDir: { medium: "Memory" } }] };
      create("greedy-memory", "sleep 15; head -c 230000000 /dev/zero > /scratch/file; sleep 600", memory);
      await untilCondition("MemoryPressure", "True");
      await until("greedy-memory", { phase: "Failed", reason: "Evicted" });
      expect(shown("greedy-memory")?.status?.message).toMatch(
        /^The node was low on resource: memory\. Threshold quantity: 100Mi, available: \d+Ki\. Container c was using /,
      );
      await untilCondition("MemoryPressure", "False");
      expect(shown("modest-memory")?.status?.phase).toBe("Running");
    }, 180_000);
  },
);
