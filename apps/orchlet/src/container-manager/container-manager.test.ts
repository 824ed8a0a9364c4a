import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { core } from "@orchernetes/api";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { machineInfo } from "../node/machine-info.ts";
import { type CgroupHost, createCgroupHost, startFakeSystemd } from "../testing/cgroup-host.ts";
import { testPod } from "../testing/pods.ts";
import { createContainerManager } from "./container-manager.ts";

const gib = 1024 ** 3;
const mib = 1024 ** 2;
const all = { limits: { cpu: "500m", memory: "64Mi", "hugepages-2Mi": "4Mi" } };

let dir: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-groups-"));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(dir, { recursive: true });
});

const pod = (uid: string, resources: object = {}): core.Pod =>
  testPod({ containers: [{ name: "c", image: "i", resources }] }, { uid, name: uid });
const burstable = pod("b", { requests: { cpu: "1", memory: "1Gi" } });
const guaranteed = pod("g", { limits: { cpu: "1", memory: "2Gi" } });
const bestEffort = pod("e");

interface Setup {
  readonly settings?: object;
  readonly gates?: readonly string[];
  readonly pods?: readonly core.Pod[];
  readonly ownsHost?: boolean;
}

const machine = await machineInfo("/");

/** A manager of a machine with 4 CPUs, 8 GiB and huge pages. */
function managerOn(host: CgroupHost, { settings = {}, gates = [], pods = [], ownsHost = true }: Setup = {}) {
  const events: string[] = [];
  const clock = new FakeClock();
  const manager = createContainerManager({
    settings: orchletConfigurationSchema.parse({
      apiVersion: "orchlet.config.o8s.io/v1beta1",
      kind: "OrchletConfiguration",
      ...settings,
    }),
    machine: {
      ...machine,
      ...{ cpus: 4, memoryBytes: 8 * gib, hugePages: new Map([["2Mi", 16 * mib]]) },
    },
    evictionHard: {},
    featureEnabled: (gate) => gates.includes(gate),
    ownsHost,
    active: () => pods,
    recordEvent: (_, reason, message) => void events.push(`${reason}: ${message}`),
    clock,
    logger: silentLogger,
    folders: host.folders,
    busSocket: join(dir, "bus"),
    removeGroup: host.removeGroup,
  });
  return { manager, events, clock };
}

const versions = [1, 2] as const;

// shows: cgroupDriver
describe.each([
  ["cgroupfs", "/orchpods", "/orchpods/burstable", "/orchpods/besteffort"],
  [
    "systemd",
    "/orchpods.slice",
    "/orchpods.slice/orchpods-burstable.slice",
    "/orchpods.slice/orchpods-besteffort.slice",
  ],
] as const)("cgroupDriver %s", (cgroupDriver, root, burstableGroup, bestEffortGroup) => {
  async function started(version: 1 | 2, setup: Setup = {}) {
    const host = createCgroupHost(dir, version);
    const bus = cgroupDriver === "systemd" ? await startFakeSystemd(join(dir, "bus"), host) : undefined;
    const made = managerOn(host, { ...setup, settings: { cgroupDriver, ...setup.settings } });
    const end = new AbortController();
    await made.manager.start();
    const running = made.manager.run(end.signal);
    closers.push(async () => {
      await bus?.close();
      end.abort();
      await running;
    });
    return { host, bus, ...made };
  }

  test.each(versions)("version %i: the weight of a QoS class is what its pods request", async (version) => {
    const pods = [burstable, guaranteed, bestEffort, pod("b2", { requests: { cpu: "500m" } })];
    const { host } = await started(version, { pods });
    const weight = version === 1 ? "cpu.shares" : "cpu.weight";
    expect([host.read(burstableGroup, weight), host.read(bestEffortGroup, weight)]).toEqual(
      version === 1 ? ["1536", "2"] : ["59", "1"],
    );
  });

  // shows: podPidsLimit
  test.each(versions)(
    "version %i: the group of a pod has the limits of the pod, and the runtime receives its path",
    async (version) => {
      const { host, bus, manager } = await started(version, { settings: { podPidsLimit: 64 } });
      const limited = pod("a-1", all);
      const place = cgroupDriver === "cgroupfs" ? "/orchpods/poda-1" : "/orchpods.slice/orchpods-poda_1.slice";
      if (version === 2) host.write(place, "hugetlb.2MB.max", "");
      expect(await manager.podCgroups.ensure(limited)).toBe(place);
      const files =
        version === 1
          ? {
              "cpu.shares": "512",
              "cpu.cfs_quota_us": "50000",
              "cpu.cfs_period_us": "100000",
              "memory.limit_in_bytes": String(64 * mib),
              "pids.max": "64",
              "hugetlb.2MB.limit_in_bytes": String(4 * mib),
            }
          : {
              "cpu.weight": "20",
              "cpu.max": "50000 100000",
              "memory.max": String(64 * mib),
              "pids.max": "64",
              "hugetlb.2MB.max": String(4 * mib),
            };
      expect(Object.fromEntries(Object.keys(files).map((file) => [file, host.read(place, file)]))).toEqual(files);
      const known = bus?.calls.filter(({ body }) => body?.[0] === "orchpods-poda_1.slice") ?? [];
      expect(known.length > 0).toBe(cgroupDriver === "systemd");
      await manager.podCgroups.remove("a-1");
      expect(host.exists(place)).toBe(false);
    },
  );

  // shows: systemReserved, orchReserved, enforceNodeAllocatable
  test.each(versions)("version %i: all pods together cannot use what is reserved", async (version) => {
    const reserved = { cpu: "500m", memory: "1Gi", pid: "100" };
    const { host, events } = await started(version, {
      settings: { systemReserved: reserved, orchReserved: { cpu: "500m", memory: "1Gi" } },
    });
    expect(
      version === 1
        ? [host.read(root, "cpu.shares"), host.read(root, "memory.limit_in_bytes"), host.read(root, "pids.max")]
        : [host.read(root, "cpu.weight"), host.read(root, "memory.max"), host.read(root, "pids.max")],
    ).toEqual([version === 1 ? "3072" : "118", String(6 * gib), "900"]);
    expect(events).toEqual(["NodeAllocatableEnforced: Updated Node Allocatable limit across pods"]);
  });

  test.each(versions)(
    "version %i: groups of unknown pods are deleted, and their processes are killed",
    async (version) => {
      const { host, manager, clock } = await started(version);
      const known = await manager.podCgroups.ensure(pod("known", all));
      const unknown = await manager.podCgroups.ensure(pod("unknown"));
      const file = "cgroup.procs";
      host.write(unknown, file, "4194304\n");
      const collected = manager.podCgroups.collect((uid) => uid === "known");
      // The process has not ended yet; the other sleeper is the manager itself.
      await expect.poll(() => clock.waiting).toBe(2);
      expect([host.exists(known), host.exists(unknown)]).toEqual([true, true]);
      host.write(unknown, file, "");
      await clock.advanceAsync(100);
      await collected;
      expect([host.exists(known), host.exists(unknown)]).toEqual([true, false]);
    },
  );
});

describe("settings", () => {
  const limit = (host: CgroupHost, group: string) => host.read(group, "memory.limit_in_bytes");
  const on = (version: 1 | 2, setup: Setup = {}) => {
    const host = createCgroupHost(dir, version);
    return { host, ...managerOn(host, setup) };
  };

  // shows: enforceNodeAllocatable
  test("enforceNodeAllocatable without pods lets them use the whole node", async () => {
    const { host, manager } = on(1, {
      settings: { enforceNodeAllocatable: ["none"], systemReserved: { memory: "1Gi", cpu: "1" } },
    });
    await manager.start();
    expect([limit(host, "/orchpods"), host.read("/orchpods", "cpu.shares")]).toEqual([String(8 * gib), "4096"]);
  });

  // shows: reservedSystemCPUs
  test("reservedSystemCPUs replaces reserved amounts of CPU", async () => {
    const settings = { reservedSystemCPUs: "0-1", systemReserved: { cpu: "3" }, orchReserved: { cpu: "1" } };
    const { host, manager } = on(1, { settings });
    await manager.start();
    expect(host.read("/orchpods", "cpu.shares")).toBe("2048");
  });

  // shows: systemReservedCgroup, orchReservedCgroup
  test("systemReservedCgroup and orchReservedCgroup are limited to their reservations", async () => {
    const { host, manager, events } = on(2, {
      gates: ["MemoryQoS"],
      settings: {
        enforceNodeAllocatable: ["pods", "system-reserved", "orch-reserved"],
        systemReservedCgroup: "/system.slice",
        orchReservedCgroup: "/daemons",
        systemReserved: { cpu: "1", memory: "1Gi", pid: "50" },
        orchReserved: { memory: "512Mi" },
      },
    });
    host.write("/system.slice", "cgroup.procs", "");
    host.write("/daemons", "cgroup.procs", "");
    await manager.start();
    const files = ["cpu.weight", "memory.max", "memory.min", "pids.max"];
    expect(files.map((file) => host.read("/system.slice", file))).toEqual(["39", String(gib), String(gib), "50"]);
    expect(files.map((file) => host.read("/daemons", file))).toEqual([
      undefined,
      String(512 * mib),
      String(512 * mib),
      undefined,
    ]);
    expect(events.slice(1)).toEqual([
      "NodeAllocatableEnforced: Updated limits on system reserved cgroup /system.slice",
      "NodeAllocatableEnforced: Updated limits on orch reserved cgroup /daemons",
    ]);
  });

  test("the agent does not start without the reserved group, or if the reservations exceed the capacity", async () => {
    const missing = on(1, {
      settings: { enforceNodeAllocatable: ["system-reserved"], systemReservedCgroup: "/none" },
    });
    const want = 'Failed to enforce System Reserved Cgroup Limits on "/none": cgroup ["none"] does not exist';
    await expect(missing.manager.start()).rejects.toThrow(want);
    expect(missing.events.at(-1)).toBe(`FailedNodeAllocatableEnforcement: ${want}`);
    const much = on(1, { settings: { systemReserved: { memory: "5Gi" }, orchReserved: { memory: "4Gi" } } });
    await expect(much.manager.start()).rejects.toThrow(
      `invalid Node Allocatable configuration. Resource "memory" has a reservation of ${9 * gib} but capacity of ${8 * mib}Ki. Expected capacity >= reservation.`,
    );
  });

  // shows: qosReserved
  test("qosReserved reserves the memory that higher QoS classes request; a class that already uses more is limited to its usage", async () => {
    const { host, manager } = on(1, {
      pods: [burstable, guaranteed, bestEffort],
      settings: { qosReserved: { memory: "50%" } },
    });
    await manager.start();
    expect([limit(host, "/orchpods/burstable"), limit(host, "/orchpods/besteffort")]).toEqual([
      String(7 * gib),
      String(6.5 * gib),
    ]);
    const other = createCgroupHost(dir, 1);
    other.write("/orchpods/besteffort", "memory.usage_in_bytes", String(7 * gib));
    other.write("/orchpods/besteffort", "memory.stat", "cache 1\n");
    const again = managerOn(other, { pods: [burstable, guaranteed], settings: { qosReserved: { memory: "50%" } } });
    await again.manager.start();
    expect(limit(other, "/orchpods/besteffort")).toBe(String(7 * gib));
  });

  test("with MemoryQoS, classes and pods keep the memory that they request", async () => {
    const { host, manager } = on(2, { pods: [burstable, guaranteed], gates: ["MemoryQoS"] });
    await manager.start();
    const place = await manager.podCgroups.ensure(burstable);
    expect(["/orchpods", "/orchpods/burstable", place].map((group) => host.read(group, "memory.min"))).toEqual([
      String(3 * gib),
      String(gib),
      String(gib),
    ]);
  });

  // shows: cgroupsPerQOS
  test("without cgroupsPerQOS, pods are in the root group, and no groups are created", async () => {
    const settings = { cgroupsPerQOS: false, enforceNodeAllocatable: ["none"], cgroupRoot: "/shared" };
    const { host, manager } = on(1, { settings });
    await manager.start();
    expect(await manager.podCgroups.ensure(burstable)).toBe("/shared");
    expect(host.exists("/orchpods") || host.exists("/shared")).toBe(false);
  });

  // shows: cgroupRoot
  test("below cgroupRoot there is one group of all pods", async () => {
    const { host, manager } = on(2, { settings: { cgroupRoot: "/outer" } });
    await manager.start();
    expect(await manager.podCgroups.ensure(burstable)).toBe("/outer/orchpods/burstable/podb");
    expect(host.exists("/outer/orchpods/burstable/podb")).toBe(true);
  });

  test("the group of a pod that is left in only one hierarchy is deleted", async () => {
    const { host, manager } = on(1);
    await manager.start();
    host.write("/orchpods/burstable/podleft", "cpu.shares", "2");
    await manager.podCgroups.collect(() => false);
    expect(host.read("/orchpods/burstable/podleft", "cpu.shares")).toBeUndefined();
  });

  test("groups below a root that other agents may share are not deleted", async () => {
    const { host, manager } = on(1, { ownsHost: false });
    await manager.start();
    const other = await manager.podCgroups.ensure(pod("other"));
    await manager.podCgroups.collect(() => false);
    expect(host.exists(other)).toBe(true);
  });

  test("an agent that may not change groups starts pods nevertheless", async () => {
    const { host, manager } = on(1);
    writeFileSync(join(host.folders.cgroup, "memory/orchpods"), "no folder");
    await manager.start();
    expect(await manager.podCgroups.ensure(burstable)).toBe("/orchpods/burstable/podb");
    await manager.podCgroups.updateClasses();
    await manager.podCgroups.remove("b");
  });

  test("an agent that cannot reach systemd does not start with its driver", async () => {
    const { manager } = on(1, { settings: { cgroupDriver: "systemd" } });
    await expect(manager.start()).rejects.toThrow(/^failed to set up control group \/orchpods.slice: .*ENOENT/);
  });

  test("if a limit cannot be set, the pod fails to start, and the next attempt sets the limit", async () => {
    const { host, manager } = on(1, { settings: { podPidsLimit: 5 } });
    await manager.start();
    rmSync(join(host.folders.cgroup, "pids"), { recursive: true });
    await expect(manager.podCgroups.ensure(burstable)).rejects.toThrow(
      /^unable to ensure pod container exists: .* there is no controller pids/,
    );
    mkdirSync(join(host.folders.cgroup, "pids"));
    await manager.podCgroups.ensure(burstable);
    expect(host.read("/orchpods/burstable/podb", "pids.max")).toBe("5");
  });

  test("a uid that would lead out of the folder is rejected", async () => {
    const { manager } = on(1);
    await expect(manager.podCgroups.ensure(pod("../../x"))).rejects.toThrow(/cannot be the name of a control group/);
  });
});

describe("the kernel and the host's processes", () => {
  const wanted = { "vm/overcommit_memory": "1", "kernel/panic": "10" };
  const settings = (host: CgroupHost) =>
    Object.fromEntries(
      Object.keys(wanted).map((path) => [path, readFileSync(join(host.folders.proc, "sys", path), "utf8")]),
    );

  // shows: protectKernelDefaults
  test.each([
    ["an agent that has the host for itself", true, {}, wanted],
    ["no agent that shares it", false, {}, { "vm/overcommit_memory": "0", "kernel/panic": "0" }],
    [
      "no agent with protectKernelDefaults",
      true,
      { protectKernelDefaults: true },
      { "vm/overcommit_memory": "0", "kernel/panic": "0" },
    ],
  ])("kernel settings are changed by %s", async (_, ownsHost, changes, want) => {
    const host = createCgroupHost(dir, 1);
    for (const path of Object.keys(wanted)) {
      mkdirSync(join(host.folders.proc, "sys", path, ".."), { recursive: true });
      writeFileSync(join(host.folders.proc, "sys", path), "0");
    }
    await managerOn(host, { ownsHost, settings: changes }).manager.start();
    expect(settings(host)).toEqual(want);
  });

  // shows: systemCgroups, orchletCgroups
  test.each(versions)(
    "version %i: processes without a group are moved to systemCgroups, and the agent to orchletCgroups",
    async (version) => {
      const host = createCgroupHost(dir, version);
      // Process 2 is a thread of the kernel, 1 the first of all.
      for (const pid of [1, 2, 7, process.pid]) mkdirSync(join(host.folders.proc, String(pid)), { recursive: true });
      for (const pid of [1, 7, process.pid]) symlinkSync("/bin/true", join(host.folders.proc, String(pid), "exe"));
      host.write("/", "cgroup.procs", `1\n2\n7\n${process.pid}\n`);
      const { manager, clock } = managerOn(host, {
        settings: { cgroupRoot: "/pods", systemCgroups: "/system", orchletCgroups: "/agent" },
      });
      await manager.start();
      expect([host.read("/system", "cgroup.procs"), host.read("/agent", "cgroup.procs")]).toEqual([
        "7",
        String(process.pid),
      ]);
      if (version === 1) expect(readFileSync(join(host.folders.cgroup, "cpu/system/cgroup.procs"), "utf8")).toBe("7\n");
      // Later ones follow.
      const end = new AbortController();
      const running = manager.run(end.signal);
      mkdirSync(join(host.folders.proc, "8"));
      symlinkSync("/bin/true", join(host.folders.proc, "8/exe"));
      host.write("/", "cgroup.procs", "1\n8\n");
      await clock.advanceAsync(60_000);
      await expect.poll(() => host.read("/system", "cgroup.procs")).toBe("7\n8");
      end.abort();
      await running;
    },
  );
});
