import { messageOf } from "@orchernetes/kernel";
import type { CgroupReader } from "../stats/host/cgroup-usage.ts";
import type { CgroupFiles } from "./cgroups/cgroup-files.ts";
import type { CgroupManager } from "./cgroups/cgroup-manager.ts";
import type { CgroupName } from "./cgroups/cgroup-name.ts";
import type { QosCgroups } from "./cgroups/qos-cgroups.ts";
import type { ContainerManagerOptions } from "./container-manager-options.ts";
import { setUpKernelTunables } from "./kernel-tunables.ts";
import {
  enforceReserved,
  type NodeResources,
  podsGroupResources,
  validateNodeAllocatable,
} from "./node-allocatable.ts";
import { moveProcesses } from "./system-groups.ts";

/** How often processes are moved and failed limits are set again. */
const repeatMs = 60_000;

interface NodeSetupOptions extends ContainerManagerOptions {
  readonly manager: CgroupManager;
  readonly files: CgroupFiles;
  readonly reader: CgroupReader;
  /** The group of all pods. */
  readonly root: CgroupName;
  readonly classes: QosCgroups;
  readonly resources: NodeResources;
  readonly memoryQos: boolean;
}

/** Prepares a machine for pods: its kernel settings and the groups above those of pods. */
export class NodeSetup {
  /** Whether this process may change control groups. */
  isUsable = true;
  readonly #options: NodeSetupOptions;
  /** Whether the limits of all pods together have been set. */
  #isEnforced = false;

  constructor(options: NodeSetupOptions) {
    this.#options = options;
  }

  /** @throws Error if more is reserved than there is, a reserved group does not exist, or systemd is wanted and does not answer */
  async start(): Promise<void> {
    const { settings, resources, evictionHard, folders, logger, ownsHost } = this.#options;
    validateNodeAllocatable(resources, evictionHard);
    // With protection, the configuration is refused while a setting is wrong.
    if (!settings.protectKernelDefaults)
      await setUpKernelTunables({ isAllowed: ownsHost, proc: folders?.proc, logger });
    if (settings.cgroupsPerQOS) {
      await this.#createGroups();
      if (this.isUsable) await this.#enforcePods();
    }
    await this.#enforceReserved();
    await this.#moveProcesses();
  }

  /** Resolves when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, settings, logger } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(repeatMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#moveProcesses();
        // Pods may have used more than the limit; evictions may have reduced their usage since.
        if (settings.cgroupsPerQOS && this.isUsable && !this.#isEnforced) await this.#enforcePods();
      } catch (error) {
        logger.error(error, "The node's control groups could not be set up");
      }
    }
  }

  async #createGroups(): Promise<void> {
    const { manager, root, classes, settings, logger } = this.#options;
    try {
      await manager.apply(root, {});
      await classes.update();
    } catch (error) {
      // A runtime with this driver could not start pods, either; systemd may be there when the agent is started again.
      if (settings.cgroupDriver === "systemd")
        throw new Error(`failed to set up control group ${manager.pathOf(root)}: ${messageOf(error)}`, {
          cause: error,
        });
      this.isUsable = false;
      logger.warn("Cannot change control groups: the runtime creates those of pods, without limits for whole pods", {
        group: manager.pathOf(root),
        error: messageOf(error),
      });
    }
  }

  /** Limits all pods together. Without enforcement, they share the whole machine. */
  async #enforcePods(): Promise<void> {
    const { manager, root, settings, resources, recordEvent, logger } = this.#options;
    const isWanted = settings.enforceNodeAllocatable.includes("pods");
    try {
      await manager.apply(root, podsGroupResources(resources, isWanted));
      this.#isEnforced = true;
      recordEvent("Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods");
    } catch (error) {
      const message = `Failed to update Node Allocatable Limits ${JSON.stringify(root)}: ${messageOf(error)}`;
      recordEvent("Warning", "FailedNodeAllocatableEnforcement", message);
      logger.warn(message);
    }
  }

  async #enforceReserved(): Promise<void> {
    const { manager, settings, resources, memoryQos, recordEvent } = this.#options;
    const { enforceNodeAllocatable: enforced, systemReservedCgroup, orchReservedCgroup } = settings;
    const groups = [
      ["system-reserved", "System Reserved", systemReservedCgroup, resources.systemReserved],
      ["orch-reserved", "Orch Reserved", orchReservedCgroup, resources.orchReserved],
    ] as const;
    for (const [level, what, path, reserved] of groups) {
      if (!enforced.includes(level)) continue;
      try {
        await enforceReserved(manager, what, path, reserved, memoryQos);
      } catch (error) {
        recordEvent("Warning", "FailedNodeAllocatableEnforcement", messageOf(error));
        throw error;
      }
      recordEvent("Normal", "NodeAllocatableEnforced", `Updated limits on ${what.toLowerCase()} cgroup ${path}`);
    }
  }

  async #moveProcesses(): Promise<void> {
    const { settings, files, reader, folders, logger } = this.#options;
    const { orchletCgroups, systemCgroups } = settings;
    if (orchletCgroups === "" && systemCgroups === "") return;
    await moveProcesses({
      ...{ orchletCgroups, systemCgroups, files, reader, logger },
      proc: folders?.proc ?? "/proc",
      pid: process.pid,
    });
  }
}
