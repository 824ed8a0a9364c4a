import { type CriClient, isCriError } from "@orchernetes/cri";
import { unmountAndRemove } from "@orchernetes/host";
import type { PodCgroups } from "../container-manager/cgroups/pod-cgroups.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { Paths } from "../util/paths.ts";
import type { VolumeManager } from "../volumes/volume-manager.ts";

/**
 * Removes everything that a terminated pod has on this node: containers, sandboxes, volumes, logs and control groups.
 * Idempotent.
 *
 * @throws Error if something is still in use; the pod's worker then tries again
 */
export async function clearPod(
  runtime: PodRuntime,
  deps: {
    readonly cri: CriClient;
    readonly volumes: VolumeManager;
    readonly cgroups: PodCgroups;
    readonly paths: Paths;
  },
): Promise<void> {
  const { cri, volumes, cgroups, paths } = deps;
  for (const { id } of runtime.containers) await ignoreGone(cri.runtime.removeContainer({ containerId: id }));
  // They were stopped when the pod terminated: each stop runs the network plugins again.
  for (const { id } of runtime.sandboxes) await ignoreGone(cri.runtime.removePodSandbox({ podSandboxId: id }));
  await volumes.remove(runtime.uid);
  await unmountAndRemove(paths.logs(runtime));
  await cgroups.remove(runtime.uid);
}

/** Ignores NotFound: the object was removed before, for example by an earlier attempt. */
async function ignoreGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isCriError(error, "NotFound")) throw error;
  }
}
