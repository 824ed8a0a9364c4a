import { core } from "@orchernetes/api";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { CgroupManager } from "./cgroup-manager.ts";
import { type CgroupName, cgroupPath } from "./cgroup-name.ts";
import { type PodGroupPolicy, podGroupResources } from "./pod-resources.ts";
import type { QosCgroups } from "./qos-cgroups.ts";

/** Control groups of pods: `<root>/orchpods[/burstable|/besteffort]/pod<uid>`. */
export interface PodCgroups {
  /**
   * Creates the pod's group with its limits, and returns its path in the form that the runtime expects. Idempotent.
   *
   * @throws Error if the group or one of its limits cannot be set
   */
  ensure(pod: core.Pod): Promise<string>;
  /** Sets the weights and limits of the QoS classes according to the pods of the node. @throws Error */
  updateClasses(): Promise<void>;
  /** Deletes the pod's groups, in all classes. A group in which a process still runs is not deleted. Idempotent. */
  remove(uid: string): Promise<void>;
  /**
   * Deletes groups of pods that are not known, such as pods that were deleted while the agent did not run. Processes that are left in
   * them are killed: no runtime knows them.
   */
  collect(isKnown: (uid: string) => boolean): Promise<void>;
}

const qosClasses = ["Guaranteed", "Burstable", "BestEffort"] as const;
const prefix = "pod";
/** Number of attempts, and their interval, to delete a group whose processes have been killed. */
const attempts = 20;
const pauseMs = 100;

/** The options of {@link createPodCgroups}. */
export interface PodCgroupsOptions {
  readonly manager: CgroupManager;
  readonly classes: QosCgroups;
  readonly policy: PodGroupPolicy;
  /** Whether groups of pods that this agent does not know may be deleted: no other agent has the same root. */
  readonly ownsRoot: boolean;
  /** False if the agent may not change groups: then the runtime creates them, without limits for pods. */
  readonly isUsable: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends a process. @default kill(2) with SIGKILL */
  readonly kill?: ((pid: number) => void) | undefined;
}

/** The groups of the pods of a node whose classes have groups (`cgroupsPerQOS`). */
export function createPodCgroups(options: PodCgroupsOptions): PodCgroups {
  const { manager, classes, policy, isUsable, clock, logger, kill = (pid) => process.kill(pid, "SIGKILL") } = options;
  /** Pods whose limits this agent has written. The group of a pod that an earlier agent started is written once again. */
  const written = new Set<string>();

  const removeGroup = async (name: CgroupName): Promise<void> => {
    if (!(await manager.remove(name)))
      logger.v(2)?.info("A control group is still in use", { group: manager.pathOf(name) });
  };
  return {
    async updateClasses() {
      if (isUsable()) await classes.update();
    },
    async ensure(pod) {
      const uid = uidOf(pod);
      const name = [...classes.nameOf(core.podQosClass(pod.spec)), `${prefix}${uid}`];
      if (isUsable() && !(written.has(uid) && manager.exists(name))) {
        try {
          await classes.update();
          await manager.apply(name, podGroupResources(pod, policy));
        } catch (error) {
          throw new Error(`unable to ensure pod container exists: ${messageOf(error)}`, { cause: error });
        }
        written.add(uid);
      }
      return manager.pathOf(name);
    },
    async remove(uid) {
      written.delete(uid);
      if (!isUsable()) return;
      for (const qosClass of qosClasses) {
        const name = [...classes.nameOf(qosClass), `${prefix}${uid}`];
        await removeGroup(name);
      }
    },
    async collect(isKnown) {
      if (!isUsable() || !options.ownsRoot) return;
      const groups = await Promise.all(qosClasses.map((qosClass) => manager.children(classes.nameOf(qosClass))));
      for (const name of groups.flat()) {
        const last = name.at(-1) ?? "";
        const uid = last.startsWith(prefix) ? last.slice(prefix.length) : "";
        if (uid === "" || isKnown(uid)) continue;
        const pids = manager.processes(name);
        logger.info("Deleting the control group of an unknown pod", {
          group: manager.pathOf(name),
          processes: pids.length,
        });
        for (const pid of pids) killProcess(pid, kill);
        // The kernel keeps a group until its last process has been reaped; the next round tries again.
        for (let left = attempts; left > 0 && !(await manager.remove(name)); left--) await clock.sleep(pauseMs);
      }
    },
  };
}

/**
 * The groups of a node whose pods have none of their own (`cgroupsPerQOS: false`): all containers are in one group, which the agent
 * does not create.
 */
export function withoutPodCgroups(root: string): PodCgroups {
  return {
    ensure: async () => root,
    updateClasses: async () => undefined,
    remove: async () => undefined,
    collect: async () => undefined,
  };
}

/** The path for {@link withoutPodCgroups}. @param root `cgroupRoot`; "" leaves it to the runtime */
export const sharedGroup = (root: CgroupName): string => (root.length === 0 ? "" : cgroupPath(root));

function killProcess(pid: number, kill: (pid: number) => void): void {
  try {
    kill(pid);
  } catch {
    // It has ended since the list was read.
  }
}

/** The uid is part of a path: it must not leave the folder. */
function uidOf({ metadata: { uid = "" } }: core.Pod): string {
  if (/^[A-Za-z0-9][-A-Za-z0-9.]*$/.test(uid)) return uid;
  throw new Error(`${JSON.stringify(uid)} cannot be the name of a control group: want letters, digits, "-" and "."`);
}
