import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { FileSystems } from "@orchernetes/host";
import type { Clock } from "@orchernetes/kernel";
import type { MachineInfo } from "../node/machine-info.ts";
import type { PodIdentity } from "../types/pod-identity.ts";
import type { CgroupReader } from "./host/cgroup-usage.ts";
import type { HostFolders } from "./host/host-files.ts";
import { readText } from "./host/host-files.ts";
import { openCgroups } from "./host/open-cgroups.ts";
import { podsGroup } from "./pod-groups.ts";

/** What a volume of a pod uses, as of `time`. What is not known is left out. */
export interface PodVolumeUsage {
  readonly volumeName: string;
  readonly time: Date;
  readonly availableBytes?: number | undefined;
  readonly capacityBytes?: number | undefined;
  readonly usedBytes?: number | undefined;
  readonly inodesFree?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesUsed?: number | undefined;
  /** The claim that the volume comes from. */
  readonly pvcRef?: { readonly name: string; readonly namespace: string } | undefined;
  /** What a driver says of the volume's health (KEP-1432). */
  readonly health?: { readonly abnormal: boolean } | undefined;
}

/** A control group of the node's own processes. */
export interface SystemContainer {
  /** `orchlet`, `runtime`, `misc` or `pods`. */
  readonly name: string;
  readonly group: string;
}

/** Where statistics and container metrics come from. */
export interface UsageSourceOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly machine: MachineInfo;
  readonly nodeName: string;
  readonly rootDir: string;
  /** The folder below which the logs of a pod's containers are. */
  readonly logs: (pod: PodIdentity) => string;
  readonly settings: { readonly cgroupRoot: string };
  /** The control group of the container runtime; "" if it is not known. */
  readonly runtimeCgroups: string;
  /** The control group of the host's other processes. @default "" there is none */
  readonly systemCgroups?: string;
  /** Usage of the volumes of a pod, as last computed; undefined if nobody computes it. */
  readonly volumes?: ((podUid: string) => readonly PodVolumeUsage[]) | undefined;
  /** The pod of a uid as its source has it; undefined for one that the agent does not know. */
  readonly podOf: (uid: string) => core.Pod | undefined;
  /** Whether pods may use swap (gate NodeSwap). */
  readonly swap: boolean;
  readonly folders?: HostFolders | undefined;
  /** @default those of the host */
  readonly fileSystems?: Pick<FileSystems, "space" | "device">;
}

/** The options with what is derived from them once. */
export interface UsageSource extends UsageSourceOptions {
  readonly fileSystems: Pick<FileSystems, "space" | "device">;
  readonly groups: CgroupReader;
  readonly proc: string;
  readonly sys: string;
  /** When the machine was started, in milliseconds since the epoch; its counters were 0 then. */
  readonly bootMs: number;
}

/** Completes the options. */
export function openUsageSource(options: UsageSourceOptions): UsageSource {
  const { proc = "/proc", sys = "/sys" } = options.folders ?? {};
  const { fileSystems = new FileSystems() } = options;
  const boot = /^btime (\d+)$/m.exec(readText(proc, "stat") ?? "")?.[1];
  const bootMs = boot === undefined ? options.clock.nowMs() : Number(boot) * 1000;
  return { ...options, fileSystems, groups: openCgroups(options.folders), proc, sys, bootMs };
}

/** The control groups of the node's own processes, as far as they exist. That of the agent is the one it runs in, unless it is the root. */
export function systemContainers(source: UsageSource): readonly SystemContainer[] {
  const { groups, proc, settings, runtimeCgroups, systemCgroups = "" } = source;
  const named = [
    { name: "orchlet", group: ownGroup(proc) },
    { name: "runtime", group: runtimeCgroups },
    { name: "misc", group: systemCgroups },
    { name: "pods", group: podsGroup(groups, settings.cgroupRoot) ?? "" },
  ];
  return named.filter(({ group }) => group !== "" && group !== "/" && groups.exists(group));
}

/** The group of this process: of the controller memory, or of the one tree of cgroup v2. */
function ownGroup(proc: string): string {
  const lines = (readText(proc, "self/cgroup") ?? "").split("\n").map((line) => line.split(":"));
  const line =
    lines.find(([, controllers = ""]) => controllers.split(",").includes("memory")) ?? lines.find(([id]) => id === "0");
  return line?.slice(2).join(":") ?? "";
}
