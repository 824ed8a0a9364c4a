import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "@orchernetes/api";
import { type CpuPolicy, cpuQuotaUs, cpuShares, podResources } from "./resources.ts";

/** Control groups of pods: `<root>/orchpods[/burstable|/besteffort]/pod<uid>`. */
export interface PodCgroups {
  /** Creates the pod's group with its limits, and returns its path in the form that the runtime expects. Idempotent. */
  ensure(pod: core.Pod): Promise<string>;
  /**
   * Sets the CPU weights of the QoS class groups: the minimum for BestEffort, the sum of the pods' requests for
   * Burstable.
   */
  weighClasses(): Promise<void>;
  /** Deletes the pod's groups, in all classes. A group in which a process still runs is not deleted. Idempotent. */
  remove(uid: string): Promise<void>;
}

/** Groups of the QoS classes. Guaranteed pods are directly below the root, so their class has no name. */
const classes = ["", "burstable", "besteffort"] as const;

/** Path of a pod's group below the mount point. */
function podCgroupPath(root: string, pod: core.Pod): string {
  const qos = core.podQosClass(pod.spec);
  const folder = qos === "Guaranteed" ? "" : qos.toLowerCase();
  return join("/", root, "orchpods", folder, `pod${pod.metadata.uid ?? ""}`);
}

/** Location and limits of the pods' control groups. */
export interface PodCgroupOptions {
  readonly root: string;
  readonly enabled: boolean;
  readonly cpu: CpuPolicy;
  readonly podPidsLimit: number;
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  /** Called when a file of a group cannot be written; the pod starts nevertheless. */
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
  // The file exists only at the root of a cgroup v2 hierarchy.
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

/** Converts CPU shares (2 to 262,144) to a cgroup v2 weight (1 to 10,000), as runtimes do (KEP-2254). */
const cpuWeight = (shares: number): string => String(1 + Math.floor(((shares - 2) * 9999) / 262_142));

/**
 * Creates a cgroup v2 group. A group has a controller only if each of its ancestors enables the controller for its
 * children.
 */
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

/**
 * Deletes a group and its descendants, innermost first. The kernel allows only rmdir, and refuses it while a group is
 * in use.
 */
async function removeTree(path: string): Promise<void> {
  if (!existsSync(path)) return;
  for (const folder of await folders(path)) await removeTree(folder);
  await rmdir(path).catch(() => rm(path, { recursive: false }).catch(() => undefined));
}

/** Creates a group and writes its files. The first failure is reported, and the remaining files are not written. */
async function setLimits(
  onError: PodCgroupOptions["onError"],
  path: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    for (const [file, value] of Object.entries(values)) await writeFile(join(path, file), value);
  } catch (error) {
    // The runtime creates missing groups itself, so the pod still starts; only the limit on the whole pod is missing.
    onError(error, path);
  }
}
