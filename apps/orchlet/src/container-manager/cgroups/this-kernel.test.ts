import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cgroupFilesV1 } from "./cgroup-files-v1.ts";
import { cgroupFilesV2 } from "./cgroup-files-v2.ts";

const mount = "/sys/fs/cgroup";
const group = `/o8s-kernel-test-${process.pid}`;
const inner = `${group}/inner`;

/** Mount point of version 2, which a host with version 1 may have beside it. */
const unified = [mount, join(mount, "unified")].find((path) => existsSync(join(path, "cgroup.controllers")));
/** CGROUP_SUPER_MAGIC. */
const isVersion1 = existsSync(join(mount, "memory")) && statfsSync(join(mount, "memory")).type === 0x27e0eb;
const isRoot = process.getuid?.() === 0;

let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill("SIGKILL");
  for (const files of [cgroupFilesV1(mount), cgroupFilesV2(unified ?? mount)])
    await expect.poll(() => files.remove(group)).toBe(true);
});

/** A process, and the lines that the kernel shows of its groups. */
async function started() {
  child = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const groups = () => readFileSync(`/proc/${pid}/cgroup`, "utf8").trim().split("\n");
  const end = async () => {
    child?.kill("SIGKILL");
    await once(child as ChildProcess, "exit");
  };
  return { pid, groups, end };
}

describe.skipIf(!isVersion1 || !isRoot)("control groups of version 1 on this kernel", () => {
  const files = cgroupFilesV1(mount);

  test("limits are set and removed, and a group is removed after its last process", async () => {
    const read = (controller: string, file: string) =>
      readFileSync(join(mount, controller, inner, file), "utf8").trim();
    await files.write(inner, {
      ...{ cpuShares: 512, cpuPeriodUs: 50_000, cpuQuotaUs: 25_000, memoryBytes: 64 * 1024 ** 2, pids: 5 },
      hugePages: new Map([["2MB", 0]]),
    });
    expect([read("cpu", "cpu.shares"), read("cpu", "cpu.cfs_quota_us"), read("pids", "pids.max")]).toEqual([
      "512",
      "25000",
      "5",
    ]);
    expect(read("memory", "memory.limit_in_bytes")).toBe(String(64 * 1024 ** 2));
    await files.write(inner, { cpuQuotaUs: -1, memoryBytes: -1, pids: -1 });
    expect([read("cpu", "cpu.cfs_quota_us"), read("pids", "pids.max")]).toEqual(["-1", "max"]);
    const { pid, groups, end } = await started();
    await files.addProcess(inner, pid);
    for (const controller of ["cpu", "memory", "pids"])
      expect(groups().some((line) => line.includes(controller) && line.endsWith(inner))).toBe(true);
    expect(await files.children(group)).toEqual(["inner"]);
    expect(await files.remove(group)).toBe(false);
    await end();
    await expect.poll(() => files.remove(group)).toBe(true);
  });

  test("an error of the kernel is reported with the file", async () => {
    await expect(files.write(group, { cpuQuotaUs: 1 })).rejects.toThrow(
      `cannot write "1" to ${mount}/cpu${group}/cpu.cfs_quota_us: EINVAL`,
    );
  });
});

describe.skipIf(unified === undefined || !isRoot)("control groups of version 2 on this kernel", () => {
  const files = cgroupFilesV2(unified ?? "");

  test("limits are set by controllers that parents enable, and a group is removed after its last process", async () => {
    const available = readFileSync(join(unified ?? "", "cgroup.controllers"), "utf8")
      .trim()
      .split(" ");
    const known = (controller: string) => available.includes(controller);
    await files.write(inner, {
      pids: known("pids") ? 5 : undefined,
      hugePages: new Map([["2MB", 4 * 1024 ** 2]]),
    });
    const read = (file: string) => readFileSync(join(unified ?? "", inner, file), "utf8").trim();
    if (known("hugetlb")) expect(read("hugetlb.2MB.max")).toBe(String(4 * 1024 ** 2));
    if (known("pids")) expect(read("pids.max")).toBe("5");
    const { pid, groups, end } = await started();
    await files.addProcess(inner, pid);
    expect(groups()).toContain(`0::${inner}`);
    expect(await files.remove(group)).toBe(false);
    await end();
    await expect.poll(() => files.remove(group)).toBe(true);
  });
});
