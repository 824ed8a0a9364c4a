import { join } from "node:path";
import type { core } from "@orchernetes/api";
import type { Metrics } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { CriClient } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Refusal } from "../../types/pod-failure.ts";
import { limiter } from "../../util/limiter.ts";
import { createCpuManager } from "../cpu-manager/cpu-manager.ts";
import { createCpuReconciler } from "../cpu-manager/reconcile-cpus.ts";
import { createDeviceManager, type DeviceManager } from "../device-manager/device-manager.ts";
import type { DeviceOptions } from "../device-manager/device-options.ts";
import { createMemoryManager } from "../memory-manager/memory-manager.ts";
import type { AssignedResources } from "../pod-resources/pod-resources-server.ts";
import { readMachineTopology } from "../topology/machine-topology.ts";
import { anyNode } from "../topology-manager/hint.ts";
import { createTopologyManager } from "../topology-manager/topology-manager.ts";

/** Which CPUs and which memory the processes of a container may use, as lists of the kernel; absent for all. */
export interface Placement {
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}

/** What the resource managers need to know about the pods of this node. */
interface ResourceUsers {
  readonly cri: CriClient;
  /** Whether this node has a pod, which may have ended. */
  readonly knows: (podUid: string) => boolean;
  /** Whether every source of pods has been read once: then resources of unknown pods are released. */
  readonly allSourcesRead: () => boolean;
}

/** Allocates CPUs and other resources that belong to one container at a time. */
export interface ResourceManager {
  /**
   * Allocates the resources of the pod's containers, which keep those that they have. One pod at a time.
   *
   * @returns why that is impossible; {@link ResourceManager.release} must be called then, too
   * @throws the signal's reason
   */
  admit(pod: core.Pod, signal: AbortSignal): Promise<Refusal | undefined>;
  /** Releases the resources of a pod. Idempotent. */
  release(podUid: string): void;
  placement(podUid: string, container: string): Placement;
  /**
   * What a container gets with its devices.
   *
   * @throws Error if a plugin is gone or refuses; the signal's reason
   */
  prepareStart(pod: core.Pod, container: core.Container, signal: AbortSignal): Promise<DeviceOptions>;
  /** The resources of a container. */
  assigned(podUid: string, container: string): AssignedResources;
  /** Resources that can be allocated. */
  allocatable(): AssignedResources;
  readonly devices: Pick<DeviceManager, "amounts" | "inUse" | "onChange" | "addPlugin" | "removePlugin">;
  /** Keeps containers on their CPUs until the agent stops. */
  run(users: ResourceUsers, signal: AbortSignal): readonly Promise<void>[];
}

/** The options of the resource managers. */
export interface ResourceManagerOptions {
  readonly settings: OrchletConfiguration;
  /** The folder of state files. */
  readonly folder: string;
  /** Where sysfs is mounted. */
  readonly sys: string | undefined;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Creates the managers of the settings, and reads their state.
 *
 * @throws Error if a setting does not fit to the machine, or a state file to the settings
 */
export function createResourceManager(options: ResourceManagerOptions): ResourceManager {
  const { settings, folder, metrics, clock, logger } = options;
  const { cpuManagerReconcilePeriod: reconcileMs } = settings;
  const { cpus: topology, nodes } = readMachineTopology(options.sys);
  const cpus = createCpuManager({ folder, settings, topology, metrics });
  const devices = createDeviceManager({
    ...{ metrics, clock, logger, folder: join(folder, "device-plugins"), nodes: nodes.map(({ id }) => id) },
  });
  const memory = createMemoryManager(folder, settings, nodes);
  const managers = [devices, cpus, memory];
  const providers = managers.flatMap(({ provider }) => provider ?? []);
  const topologyManager = createTopologyManager({ settings, nodes, providers, metrics, clock });
  const oneAtATime = limiter(1);
  let users: ResourceUsers | undefined;

  const release = (podUid: string): void => {
    for (const provider of providers) provider.release(podUid);
  };
  /** Pods that ended while no agent ran have left their resources in the state files. */
  const releaseUnknown = (): void => {
    if (users?.allSourcesRead() !== true) return;
    for (const uid of new Set(managers.flatMap((manager) => manager.pods()))) if (!users.knows(uid)) release(uid);
  };

  return {
    async admit(pod, signal) {
      if (!providers.some((provider) => provider.concerns(pod))) return undefined;
      return await oneAtATime(async () => {
        releaseUnknown();
        return await topologyManager.admit(pod, signal);
      }, signal);
    },
    release,
    placement(podUid, container) {
      const cpusetCpus = String(cpus.cpusOf(podUid, container));
      const cpusetMems = memory.nodesOf(podUid, container).join();
      return { ...(cpusetCpus !== "" && { cpusetCpus }), ...(cpusetMems !== "" && { cpusetMems }) };
    },
    async prepareStart(pod, container, signal) {
      if (devices.lacks(pod, container))
        await oneAtATime(async () => devices.provider.allocate(pod, container, anyNode, signal), signal);
      const given = await devices.prepareStart(pod, container, signal);
      memory.releaseInitContainersBefore(pod, container.name);
      return given;
    },
    assigned: (podUid, container) => ({
      devices: devices.devicesOf(podUid, container),
      cpus: cpus.exclusive(podUid, container).numbers,
      memory: memory.blocksOf(podUid, container),
    }),
    allocatable: () => ({
      devices: devices.allocatable(),
      cpus: cpus.allocatable.numbers,
      memory: memory.allocatable(),
    }),
    devices,
    run(given, signal) {
      users = given;
      const reconcile =
        cpus.provider === undefined ? undefined : createCpuReconciler({ manager: cpus, logger, ...given });
      const work = async (): Promise<void> => {
        while (!signal.aborted) {
          await clock.sleep(reconcileMs, signal).catch(() => undefined);
          if (signal.aborted) return;
          try {
            releaseUnknown();
            await reconcile?.();
          } catch (error) {
            if (!signal.aborted) logger.error(error, "Unable to reconcile the CPUs of containers");
          }
        }
      };
      return [devices.run(signal), work()];
    },
  };
}
