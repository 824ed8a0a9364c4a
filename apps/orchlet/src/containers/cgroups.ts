import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import { type CpuPolicy, cpuQuotaUs, cpuShares, podResources } from "./resources.ts";

/** Control groups of pods: `<root>/orchpods[/burstable|/besteffort]/pod<uid>`. */
export interface PodCgroups {
  /** Makes the pod's group with its limits, and answers its path as the runtime wants it. Idempotent. */
  ensure(pod: core.Pod): Promise<string>;
  /** Sets the CPU weights of the QoS class groups: the minimum for best effort, the sum of its pods' requests for burstable. */
  weighClasses(): Promise<void>;
  /** Deletes the pod's group, in all classes, once nothing runs in it. Idempotent. */
  remove(uid: string): Promise<void>;
}

const classes = ["", "burstable", "besteffort"] as const;

/** Path of a pod's group below the mount point. */
function podCgroupPath(root: string, pod: core.Pod): string {
  const qos = core.podQosClass(pod.spec);
  const folder = qos === "Guaranteed" ? "" : qos.toLowerCase();
  return join("/", root, "orchpods", folder, `pod${pod.metadata.uid ?? ""}`);
}

/** Where the control groups of pods are, and what limits they have. */
export interface PodCgroupOptions {
  readonly root: string;
  readonly enabled: boolean;
  readonly cpu: CpuPolicy;
  readonly podPidsLimit: number;
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  readonly onError: (error: unknown, path: string) => void;
  /** @default "/sys/fs/cgroup" */
  readonly mountPoint?: string;
}

/**
 * @param root the group that all pods are below (`cgroupRoot`)
 * @param enabled false: pods get no groups of their own (`cgroupsPerQOS`)
 */
export function createPodCgroups(options: PodCgroupOptions): PodCgroups {
  const { root, enabled, cpu, podPidsLimit, active, onError, mountPoint = "/sys/fs/cgroup" } = options;
  const classShares = new Map<string, number>();
  const unified = existsSync(join(mountPoint, "cgroup.controllers"));

  const ensureV1 = async (path: string, pod: core.Pod): Promise<void> => {
    const { requestMilliCpu, limitMilliCpu, memoryLimitBytes } = podResources(pod);
    await setLimits(onError, join(mountPoint, "cpu", path), {
      "cpu.shares": String(cpuShares(requestMilliCpu)),
      ...(cpu.quota && limitMilliCpu !== undefined
        ? {
            "cpu.cfs_period_us": String(cpu.periodMs * 1000),
            "cpu.cfs_quota_us": String(cpuQuotaUs(limitMilliCpu, cpu.periodMs)),
          }
        : {}),
    });
    await setLimits(
      onError,
      join(mountPoint, "memory", path),
      memoryLimitBytes === undefined ? {} : { "memory.limit_in_bytes": String(memoryLimitBytes) },
    );
    if (podPidsLimit > 0)
      await setLimits(onError, join(mountPoint, "pids", path), { "pids.max": String(podPidsLimit) });
  };

  const ensureV2 = async (path: string, pod: core.Pod): Promise<void> => {
    const { requestMilliCpu, limitMilliCpu, memoryLimitBytes } = podResources(pod);
    await delegate(mountPoint, path, onError);
    const period = cpu.periodMs * 1000;
    await setLimits(onError, join(mountPoint, path), {
      "cpu.weight": cpuWeight(cpuShares(requestMilliCpu)),
      ...(cpu.quota && limitMilliCpu !== undefined
        ? { "cpu.max": `${cpuQuotaUs(limitMilliCpu, cpu.periodMs)} ${period}` }
        : {}),
      ...(memoryLimitBytes === undefined ? {} : { "memory.max": String(memoryLimitBytes) }),
      ...(podPidsLimit > 0 ? { "pids.max": String(podPidsLimit) } : {}),
    });
  };

  const weighClass = async (name: (typeof classes)[number], shares: number): Promise<void> => {
    if (classShares.get(name) === shares) return;
    const path = join("/", root, "orchpods", name);
    if (unified) {
      await delegate(mountPoint, path, onError);
      await setLimits(onError, join(mountPoint, path), { "cpu.weight": cpuWeight(shares) });
    } else await setLimits(onError, join(mountPoint, "cpu", path), { "cpu.shares": String(shares) });
    classShares.set(name, shares);
  };
  const weighClasses = async (): Promise<void> => {
    if (!enabled) return;
    const requests = active().map((pod) =>
      core.podQosClass(pod.spec) === "Burstable" ? podResources(pod).requestMilliCpu : 0,
    );
    await weighClass("besteffort", cpuShares(0));
    await weighClass("burstable", cpuShares(requests.reduce((sum, request) => sum + request, 0)));
  };

  return {
    weighClasses,
    async ensure(pod) {
      if (!enabled) return root === "" ? "" : join("/", root);
      const path = podCgroupPath(root, pod);
      await weighClasses();
      await (unified ? ensureV2(path, pod) : ensureV1(path, pod));
      return path;
    },
    async remove(uid) {
      if (!enabled) return;
      const trees = unified ? [mountPoint] : await folders(mountPoint);
      for (const tree of trees)
        for (const folder of classes) await removeTree(join(tree, root, "orchpods", folder, `pod${uid}`));
    },
  };
}

/** Converts CPU shares to a cgroup v2 weight, 1 to 10,000. */
const cpuWeight = (shares: number): string => String(1 + Math.floor(((shares - 2) * 9999) / 262_142));

/** Control groups below a group get a controller only if every group above hands it down. */
async function delegate(
  mountPoint: string,
  path: string,
  onError: (error: unknown, path: string) => void,
): Promise<void> {
  const parts = path.split("/").filter((part) => part !== "");
  let at = mountPoint;
  for (const part of parts) {
    try {
      const controllers = (await readFile(join(at, "cgroup.controllers"), "utf8")).trim().split(" ");
      const wanted = ["cpu", "memory", "pids", "cpuset", "io", "hugetlb"].filter((name) => controllers.includes(name));
      await writeFile(join(at, "cgroup.subtree_control"), wanted.map((name) => `+${name}`).join(" "));
    } catch (error) {
      onError(error, at);
    }
    at = join(at, part);
    await mkdir(at, { recursive: true });
  }
}

async function folders(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

/** A group is deleted by rmdir alone, the innermost first; one that is in use stays. */
async function removeTree(path: string): Promise<void> {
  if (!existsSync(path)) return;
  for (const folder of await folders(path)) await removeTree(folder);
  await rmdir(path).catch(() => rm(path, { recursive: false }).catch(() => undefined));
}

/** Makes a group and writes its files. What fails is reported, and the rest goes on. */
async function setLimits(
  onError: PodCgroupOptions["onError"],
  path: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    for (const [file, value] of Object.entries(values)) await writeFile(join(path, file), value);
  } catch (error) {
    // The runtime makes missing groups itself; a limit on the pod as a whole is what gets lost.
    onError(error, path);
  }
}
