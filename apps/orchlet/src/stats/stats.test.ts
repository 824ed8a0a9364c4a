import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machineInfo } from "../node/machine-info.ts";
import { writeHost } from "../testing/host-trees.ts";
import { testPod } from "../testing/pods.ts";
import { cadvisorMetrics } from "./cadvisor/cadvisor.ts";
import { createSummaryReader } from "./summary/summary.ts";
import { openUsageSource, type PodVolumeUsage, type UsageSource } from "./usage-source.ts";

const dir = mkdtempSync(join(tmpdir(), "o8s-stats-"));
const labels = {
  "io.orchernetes.pod.name": "web",
  "io.orchernetes.pod.namespace": "default",
  "io.orchernetes.pod.uid": "u1",
};
const createdAt = BigInt(Date.parse("2023-06-01T00:00:00Z")) * 1_000_000n;

beforeAll(() => {
  mkdirSync(join(dir, "logs/default_web_u1/c"), { recursive: true });
  writeFileSync(join(dir, "logs/default_web_u1/c/0.log"), "x".repeat(5000));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** A runtime with the pod of the host's tree. @param ids of containers and sandboxes */
function runtimeWith(ids: { readonly sandbox: string; readonly container: string }): CriClient {
  const container = { id: ids.container, podSandboxId: ids.sandbox, createdAt, image: { image: "web:1" } };
  return {
    runtime: {
      listPodSandbox: async () => ({ items: [{ id: ids.sandbox, labels, createdAt }] }),
      listContainers: async () => ({
        containers: [{ ...container, labels: { ...labels, "io.orchernetes.container.name": "c" } }],
      }),
      listContainerStats: async () => ({
        stats: [
          {
            attributes: { id: ids.container },
            cpu: { timestamp: createdAt, usageCoreNanoSeconds: 4_000_000_000 },
            memory: { timestamp: createdAt, workingSetBytes: 1700 },
            writableLayer: { timestamp: createdAt, usedBytes: 12_288, inodesUsed: 5, fsId: { mountpoint: dir } },
          },
        ],
      }),
    },
    images: {
      imageFsInfo: async () => ({ imageFilesystems: [{ fsId: { mountpoint: dir }, usedBytes: 777, inodesUsed: 7 }] }),
    },
  } as unknown as CriClient;
}

const used = {
  ...{ availableBytes: 1, capacityBytes: 2, usedBytes: 1000, inodesFree: 3, inodes: 4, inodesUsed: 1 },
  time: new Date("2023-06-01T00:00:00Z"),
};
const volumes: readonly PodVolumeUsage[] = [
  { ...used, volumeName: "data" },
  { ...used, volumeName: "claim", pvcRef: { name: "p", namespace: "default" }, health: { abnormal: true } },
  { ...used, volumeName: "memory" },
];
const pod = testPod(
  {
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "memory", emptyDir: { medium: "Memory" } },
      { name: "claim", persistentVolumeClaim: { claimName: "p" } },
    ],
  },
  { uid: "u1" },
);

const host = await machineInfo("/");

function source(version: 1 | 2, more: Partial<UsageSource> = {}): UsageSource {
  const machine = { ...host, memoryBytes: 1_000_000, machineID: "m", systemUUID: "s", bootID: 'b"\\' };
  return openUsageSource({
    cri: runtimeWith({ sandbox: "s1", container: "c1" }),
    clock: new FakeClock("2023-06-01T00:00:10Z"),
    machine,
    nodeName: "node-a",
    rootDir: dir,
    logs: ({ namespace, name, uid }) => join(dir, "logs", `${namespace}_${name}_${uid}`),
    settings: { cgroupRoot: "" },
    runtimeCgroups: "/runtime",
    volumes: () => volumes,
    podOf: () => pod,
    swap: false,
    folders: writeHost(join(dir, `v${version}`), version),
    ...more,
  });
}

describe.each([1, 2] as const)("cgroup v%d", (version) => {
  // shows: --runtime-cgroups
  test("the summary contains the node, its system containers, and the pods with all of their parts", async () => {
    const read = createSummaryReader(source(version));
    const time = "2023-06-01T00:00:10Z";
    const memory = { time, rssBytes: 80, pageFaults: 30, majorPageFaults: 10 };
    const nodeBytes = version === 1 ? 900_000 : 600 * 1024;
    const summary = await read(false);
    expect(summary).toMatchObject({
      node: {
        nodeName: "node-a",
        startTime: "2023-06-01T00:00:00Z",
        cpu: { time, usageCoreNanoSeconds: 90_000_000_000, usageNanoCores: 9_000_000_000 },
        memory: {
          ...memory,
          usageBytes: nodeBytes,
          workingSetBytes: nodeBytes - 100,
          availableBytes: 1_000_000 - nodeBytes + 100,
        },
        network: {
          ...{ time, name: "ens3", rxBytes: 1000, rxErrors: 1, txBytes: 2000, txErrors: 3 },
          interfaces: [{ name: "ens3", rxBytes: 1000, rxErrors: 1, txBytes: 2000, txErrors: 3 }],
        },
        fs: { time, capacityBytes: expect.any(Number), inodes: expect.any(Number), usedBytes: expect.any(Number) },
        runtime: { imageFs: { time, usedBytes: 777, inodesUsed: 7, capacityBytes: expect.any(Number) } },
        rlimit: { time, maxpid: 1000, curproc: 345 },
        systemContainers: [
          { name: "orchlet", cpu: { usageCoreNanoSeconds: 1_000_000_000 }, memory: { workingSetBytes: 9900 } },
          { name: "runtime", cpu: { usageCoreNanoSeconds: 2_000_000_000 }, memory: { workingSetBytes: 19_900 } },
          { name: "pods", cpu: { usageCoreNanoSeconds: 8_000_000_000 }, memory: { workingSetBytes: 49_900 } },
        ],
      },
      pods: [
        {
          podRef: { name: "web", namespace: "default", uid: "u1" },
          startTime: "2023-06-01T00:00:00Z",
          cpu: { time, usageNanoCores: 600_000_000, usageCoreNanoSeconds: 6_000_000_000 },
          memory: { ...memory, usageBytes: 3000, workingSetBytes: 2900 },
          network: { time, name: "eth0", rxBytes: 500, txBytes: 1000, interfaces: [{ name: "eth0" }] },
          volume: [
            { name: "data", usedBytes: 1000, time: "2023-06-01T00:00:00Z" },
            { name: "claim", pvcRef: { name: "p", namespace: "default" }, volumeHealthStats: { abnormal: true } },
            { name: "memory" },
          ],
          // Its container has one process, with three threads.
          process_stats: { process_count: 1 },
          containers: [
            {
              name: "c",
              startTime: "2023-06-01T00:00:00Z",
              cpu: { time, usageNanoCores: 500_000_000, usageCoreNanoSeconds: 5_000_000_000 },
              memory: { ...memory, usageBytes: 2000, workingSetBytes: 1900, availableBytes: 2100 },
              rootfs: { time, usedBytes: 12_288, inodesUsed: 5, capacityBytes: expect.any(Number) },
              logs: { time, usedBytes: expect.any(Number), inodesUsed: 2 },
            },
          ],
        },
      ],
    });
    const [pod] = (summary as { pods: Record<string, Record<string, number>>[] }).pods;
    expect(pod?.["ephemeral-storage"]).toMatchObject({ inodesUsed: 5 + 2 + 1 });
    expect(pod?.["ephemeral-storage"]?.usedBytes).toBeGreaterThan(12_288 + 5000 + 1000);
    expect(pod?.memory).not.toHaveProperty("availableBytes");
    expect(JSON.stringify(summary)).not.toContain("swap");
  });

  test("only CPU and memory are read if nothing else is requested", async () => {
    const read = createSummaryReader(source(version, { volumes: () => expect.fail("volumes are read") }));
    const summary = (await read(true)) as { node: object; pods: object[] };
    expect(Object.keys(summary.node)).toEqual(["nodeName", "systemContainers", "startTime", "cpu", "memory"]);
    expect(Object.keys(summary.pods[0] ?? {})).toEqual(["podRef", "startTime", "containers", "cpu", "memory"]);
  });

  test("rates are averages since the previous reading", async () => {
    const clock = new FakeClock("2023-06-01T00:00:10Z");
    const from = source(version, { clock });
    const read = createSummaryReader(from);
    await read(false);
    clock.advance(2000);
    const later = {
      ...from.groups.cpu,
      cpu: (path: string) => ({ usageNanos: path === "/" ? 91_000_000_000 : 7_000_000_000 }),
    };
    Object.assign(from.groups, { cpu: later.cpu });
    expect(await read(true)).toMatchObject({
      node: { cpu: { usageNanoCores: 500_000_000 } },
      pods: [{ cpu: { usageNanoCores: 500_000_000 }, containers: [{ cpu: { usageNanoCores: 1_000_000_000 } }] }],
    });
    clock.advance(100);
    expect(await read(true)).toMatchObject({ node: { cpu: { usageNanoCores: 500_000_000 } } });
  });

  test("swap is shown if pods may use it", async () => {
    expect(await createSummaryReader(source(version, { swap: true }))(false)).toMatchObject({
      node: { swap: { swapUsageBytes: 40 * 1024, swapAvailableBytes: 60 * 1024 } },
      pods: [{ swap: { swapUsageBytes: 5 }, containers: [{ swap: { swapUsageBytes: 5 } }] }],
    });
  });

  test("container metrics have the labels of pods, and the metrics of the machine are present", async () => {
    const page = await cadvisorMetrics(source(version), silentLogger);
    const pod =
      version === 1
        ? "/orchpods/burstable/podu1"
        : "/orchpods.slice/orchpods-burstable.slice/orchpods-burstable-podu1.slice";
    const idOf = (id: string) => (version === 1 ? `${pod}/${id}` : `${pod}/cri-containerd-${id}.scope`);
    const at = 1_685_577_610_000;
    const container = `container="c",id="${idOf("c1")}",image="web:1",name="c1",namespace="default",pod="web"`;
    const sandbox = `name="s1",namespace="default",pod="web"`;
    for (const line of [
      `container_cpu_usage_seconds_total{container="c",cpu="total",id="${idOf("c1")}",image="web:1",name="c1",namespace="default",pod="web"} 5 ${at}`,
      `container_cpu_usage_seconds_total{container="",cpu="total",id="${pod}",image="",name="",namespace="default",pod="web"} 6 ${at}`,
      `container_cpu_usage_seconds_total{container="",cpu="total",id="/",image="",name="",namespace="",pod=""} 90 ${at}`,
      `container_cpu_user_seconds_total{${container}} 0.3 ${at}`,
      `container_cpu_cfs_throttled_seconds_total{${container}} 5 ${at}`,
      `container_memory_working_set_bytes{${container}} 1900 ${at}`,
      `container_memory_max_usage_bytes{${container}} 5000 ${at}`,
      `container_oom_events_total{${container}} 2 ${at}`,
      `container_spec_cpu_quota{${container}} 50000`,
      `container_spec_memory_limit_bytes{${container}} 4000`,
      `container_start_time_seconds{${container}} 1685577600`,
      `container_processes{${container}} 1 ${at}`,
      `container_threads{${container}} 3 ${at}`,
      `container_file_descriptors{${container}} 2 ${at}`,
      `container_network_receive_bytes_total{container="",id="${idOf("s1")}",image="",interface="eth0",${sandbox}} 500 ${at}`,
      `container_network_transmit_packets_dropped_total{container="",id="/",image="",interface="ens3",name="",namespace="",pod=""} 4 ${at}`,
      `container_fs_reads_bytes_total{container="c",device="/dev/sda",id="${idOf("c1")}",image="web:1",name="c1",namespace="default",pod="web"} 4096 ${at}`,
      "container_scrape_error 0",
      "machine_scrape_error 0",
      'machine_cpu_physical_cores{boot_id="b\\"\\\\",machine_id="m",system_uuid="s"} 3',
      'machine_cpu_sockets{boot_id="b\\"\\\\",machine_id="m",system_uuid="s"} 2',
    ])
      expect(page.split("\n")).toContain(line);
    expect(page).toContain('ulimit="max_open_files"} 1024');
    expect(page).toMatch(/container_tasks_state\{[^}]*name="c1"[^}]*state="sleeping"\} 1 /);
    // A page that Prometheus accepts has every family once.
    const families = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(families).size).toBe(families.length);
  });
});

test("the usage of a pod without control groups is what the runtime reports", async () => {
  const from = source(1, { cri: runtimeWith({ sandbox: "s9", container: "c9" }), settings: { cgroupRoot: "none" } });
  expect(await createSummaryReader(from)(false)).toMatchObject({
    pods: [
      {
        cpu: { usageCoreNanoSeconds: 4_000_000_000 },
        memory: { workingSetBytes: 1700 },
        containers: [
          { cpu: { usageCoreNanoSeconds: 4_000_000_000 }, memory: { workingSetBytes: 1700, usageBytes: 1700 } },
        ],
      },
    ],
  });
  expect(await cadvisorMetrics(from, silentLogger)).toContain(
    'container_memory_working_set_bytes{container="c",id="/c9",image="web:1",name="c9",namespace="default",pod="web"} 1700',
  );
});

test("if the runtime does not respond, the page has the control groups and an error", async () => {
  const cri = {
    runtime: new Proxy({}, { get: () => () => Promise.reject(new Error("no runtime")) }),
  } as unknown as CriClient;
  const page = await cadvisorMetrics(source(1, { cri }), silentLogger);
  expect(page).toContain("container_scrape_error 1");
  expect(page).toContain('id="/orchpods/burstable"');
});
