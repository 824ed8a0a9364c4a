import type { CriClient } from "@orchernetes/cri";
import { type Logger, messageOf } from "@orchernetes/kernel";
import { containerNameLabel, podUidLabel } from "../../runtime/labels.ts";
import type { CpuManager } from "./cpu-manager.ts";

/** The options of {@link createCpuReconciler}. */
export interface CpuReconcilerOptions {
  readonly manager: Pick<CpuManager, "cpusOf">;
  readonly cri: CriClient;
  readonly logger: Logger;
  /** Whether this node has a pod. */
  readonly knows: (podUid: string) => boolean;
}

/**
 * Returns a function that updates the CPUs of running containers in the runtime if they have changed since the last update: the
 * shared pool shrinks and grows when other containers get and release exclusive CPUs. An update that fails is tried again the next
 * time.
 */
export function createCpuReconciler({ manager, cri, logger, knows }: CpuReconcilerOptions): () => Promise<void> {
  let told = new Map<string, string>();
  return async () => {
    const { containers } = await cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } });
    const now = new Map<string, string>();
    for (const { id, labels } of containers) {
      const { [podUidLabel]: uid, [containerNameLabel]: name = "" } = labels;
      if (uid === undefined || !knows(uid)) continue;
      const cpus = String(manager.cpusOf(uid, name));
      if (cpus === "") continue;
      if (told.get(id) !== cpus)
        try {
          await cri.runtime.updateContainerResources({ containerId: id, linux: { cpusetCpus: cpus } });
        } catch (error) {
          logger.warn("Unable to update the CPUs of a container", {
            container: name,
            uid,
            cpus,
            error: messageOf(error),
          });
          continue;
        }
      now.set(id, cpus);
    }
    told = now;
  };
}
