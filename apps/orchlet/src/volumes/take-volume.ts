import type { core } from "@orchernetes/api";
import type { Paths } from "../util/paths.ts";
import type { ClaimedVolume } from "./plugins/persistent-volume.ts";
import { giveToGroup } from "./setup/ownership.ts";
import { isReadyElsewhere, localPlugin, readyText, setReady } from "./setup/ready-mark.ts";

/**
 * Marks a volume as used by a pod, once, even if the pod only reads it: its folder must not be removed meanwhile. Applies fsGroup
 * to a local volume, unless another pod uses it (the first pod's fsGroup applies), and rejects a second pod of an exclusive one,
 * which the scheduler does not see if the pod names its node.
 */
export async function takeVolume(
  paths: Paths,
  pod: core.Pod,
  name: string,
  { path, local, block, exclusive, readOnly }: ClaimedVolume & { readonly exclusive: boolean },
): Promise<void> {
  const { uid = "" } = pod.metadata;
  if (!local && !exclusive) return;
  const mark = paths.plugin(uid, localPlugin, name);
  if ((await readyText(mark)) !== undefined) return;
  const isShared = await isReadyElsewhere(paths, uid, localPlugin, path);
  if (exclusive && isShared)
    throw new Error("volume uses the ReadWriteOncePod access mode and is already in use by another pod");
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  if (local && !block && !readOnly && fsGroup !== undefined && !isShared)
    await giveToGroup(path, fsGroup, fsGroupChangePolicy);
  await setReady(mark, path, paths);
}
