import { assertNever } from "@orchernetes/kernel";
import { capacityOf, countCpus } from "../node/capacity.ts";
import type { CgroupReader } from "../stats/host/cgroup-usage.ts";
import type { HostFolders } from "../stats/host/host-files.ts";
import { openCgroups } from "../stats/host/open-cgroups.ts";
import type { CgroupFiles, RemoveGroup } from "./cgroups/cgroup-files.ts";
import { cgroupFilesV1 } from "./cgroups/cgroup-files-v1.ts";
import { cgroupFilesV2 } from "./cgroups/cgroup-files-v2.ts";
import { type CgroupDriver, createCgroupManager } from "./cgroups/cgroup-manager.ts";
import { cgroupfsDriver } from "./cgroups/cgroupfs-driver.ts";
import { measuredCgroups } from "./cgroups/measured-cgroups.ts";
import { createPodCgroups, type PodCgroups, sharedGroup, withoutPodCgroups } from "./cgroups/pod-cgroups.ts";
import { QosCgroups } from "./cgroups/qos-cgroups.ts";
import { systemdDriver } from "./cgroups/systemd-driver.ts";
import { SystemdUnits } from "./cgroups/systemd-units.ts";
import type { ContainerManagerOptions } from "./container-manager-options.ts";
import { maxTasks } from "./max-tasks.ts";
import { type NodeResources, podsGroupResources } from "./node-allocatable.ts";
import { NodeSetup } from "./node-setup.ts";

/** Group of all pods, below `cgroupRoot`. */
const allPods = "orchpods";

/** Controls which resources of the machine the pods and the node's own processes may use. */
export interface ContainerManager {
  /** Version of control groups that the host has. */
  readonly cgroupVersion: 1 | 2;
  /** Memory that pods may use together, in bytes. */
  readonly allocatableMemoryBytes: number;
  readonly podCgroups: PodCgroups;
  /**
   * Prepares the machine: kernel settings, the group of all pods, those of classes and reserved ones. Call it once, before any pod
   * starts.
   *
   * @throws Error if more is reserved than there is, a reserved group does not exist, or systemd is wanted and does not answer
   */
  start(): Promise<void>;
  /** Restores what other programs may undo, and retries what has failed, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the manager; nothing is changed before {@link ContainerManager.start}. @throws Error if a group's path is invalid */
export function createContainerManager(options: ContainerManagerOptions): ContainerManager {
  const { settings, machine, featureEnabled, active, logger, folders = {} } = options;
  const reader = openCgroups(folders);
  const files = openFiles(reader, folders, options.removeGroup);
  const { driver, close } = openDriver(options, reader);
  const plain = createCgroupManager({ driver, files, reader });
  const manager = options.metrics === undefined ? plain : measuredCgroups(plain, options.metrics, options.clock);
  const rootName = manager.parse(settings.cgroupRoot);
  const root = [...rootName, allPods];
  const resources = nodeResourcesOf(options);
  const memoryQos = featureEnabled("MemoryQoS") && manager.version === 2;
  const hugePageSizes = [...machine.hugePages.keys()];
  const allocatableMemoryBytes = podsGroupResources(resources, true).memoryBytes ?? 0;
  const classes = new QosCgroups({
    ...{ manager, root, active, hugePageSizes, memoryQos },
    reservedMemoryPercent: percentOf(settings.qosReserved.memory),
    allocatableMemoryBytes,
  });
  const setup = new NodeSetup({ ...options, manager, files, reader, root, classes, resources, memoryQos });
  const podCgroups = settings.cgroupsPerQOS
    ? createPodCgroups({
        ...{ manager, classes, logger, clock: options.clock },
        policy: {
          cpu: { quota: settings.cpuCFSQuota, periodMs: settings.cpuCFSQuotaPeriod },
          podPidsLimit: settings.podPidsLimit,
          ...{ hugePageSizes, memoryQos },
        },
        ownsRoot: options.ownsHost || rootName.length > 0,
        isUsable: () => setup.isUsable,
      })
    : withoutPodCgroups(sharedGroup(rootName));
  return {
    cgroupVersion: manager.version,
    allocatableMemoryBytes,
    podCgroups,
    start: () => setup.start(),
    async run(signal) {
      await setup.run(signal);
      await close();
    },
  };
}

function openFiles(
  reader: CgroupReader,
  { cgroup = "/sys/fs/cgroup" }: HostFolders,
  remove?: RemoveGroup,
): CgroupFiles {
  return reader.version === 2 ? cgroupFilesV2(cgroup, remove) : cgroupFilesV1(cgroup, remove);
}

function openDriver(
  { settings, clock, busSocket }: ContainerManagerOptions,
  { version }: CgroupReader,
): { readonly driver: CgroupDriver; close(): Promise<void> } {
  switch (settings.cgroupDriver) {
    case "cgroupfs":
      return { driver: cgroupfsDriver, close: async () => undefined };
    case "systemd": {
      const units = new SystemdUnits({ clock, socketPath: busSocket });
      return { driver: systemdDriver(units, version), close: () => units.close() };
    }
    default:
      return assertNever(settings.cgroupDriver);
  }
}

/** CPUs that are reserved by number replace the amounts, as in the node's status. */
function nodeResourcesOf({ settings, machine, folders }: ContainerManagerOptions): NodeResources {
  const { systemReserved, orchReserved, reservedSystemCPUs } = settings;
  const byNumber = reservedSystemCPUs !== "";
  return {
    capacity: capacityOf(machine, settings),
    maxTasks: maxTasks(folders?.proc),
    systemReserved: byNumber ? { ...systemReserved, cpu: String(countCpus(reservedSystemCPUs)) } : systemReserved,
    orchReserved: byNumber ? withoutCpu(orchReserved) : orchReserved,
  };
}

function withoutCpu({ cpu: _, ...others }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return others;
}

const percentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text.replace("%", ""));
