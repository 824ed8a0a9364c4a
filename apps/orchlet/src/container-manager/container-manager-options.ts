import type { core } from "@orchernetes/api";
import type { Metrics } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { MachineInfo } from "../node/machine-info.ts";
import type { HostFolders } from "../stats/host/host-files.ts";
import type { RemoveGroup } from "./cgroups/cgroup-files.ts";

/** The settings of the node that concern control groups. */
type NodeConfig = Pick<
  OrchletConfiguration,
  | "cgroupDriver"
  | "cgroupRoot"
  | "cgroupsPerQOS"
  | "cpuCFSQuota"
  | "cpuCFSQuotaPeriod"
  | "enforceNodeAllocatable"
  | "maxPods"
  | "orchletCgroups"
  | "orchReserved"
  | "orchReservedCgroup"
  | "podPidsLimit"
  | "podsPerCore"
  | "protectKernelDefaults"
  | "qosReserved"
  | "reservedSystemCPUs"
  | "systemCgroups"
  | "systemReserved"
  | "systemReservedCgroup"
>;

/** The options of a container manager. */
export interface ContainerManagerOptions {
  readonly settings: NodeConfig;
  readonly machine: MachineInfo;
  /** Hard eviction thresholds, which reduce the allocatable resources; {} if they do not. */
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly featureEnabled: (gate: string) => boolean;
  /** @default changes of groups are not measured */
  readonly metrics?: Metrics;
  /** Whether no other agent runs on this host. Only then does this one change kernel settings and the root group. */
  readonly ownsHost: boolean;
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  /** Records an event of the node. */
  readonly recordEvent: (type: "Normal" | "Warning", reason: string, message: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where the kernel shows its state. @default that of this host */
  readonly folders?: HostFolders | undefined;
  /** Socket of the system bus, for driver systemd. @default that of this host */
  readonly busSocket?: string | undefined;
  /** Deletes a group. @default rmdir(2) */
  readonly removeGroup?: RemoveGroup | undefined;
}
