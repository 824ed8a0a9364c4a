import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { Client, Informer } from "@orchernetes/client";
import {
  type Claim,
  claimKeyOf,
  isPodTerminal,
  pvControllerFinalizer,
  type Volume,
} from "@orchernetes/component-helpers";
import type { NewPod } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { claimIndex } from "../../shared/pod-claims.ts";
import { persistentVolumes, pods as podsRef } from "../../shared/refs.ts";
import { type BinderAction, binderEvent, unbind, volumePhase } from "./actions.ts";
import { deleterOf, type VolumePlugin } from "./plugins/volume-plugin.ts";
import { isReleased } from "./reconcile-volume.ts";

/** The services that reclaiming needs. */
export interface ReclaimDeps {
  readonly client: Client;
  readonly plugins: readonly VolumePlugin[];
  /** Indexed by {@link claimIndex}. */
  readonly pods: Informer<core.Pod>;
  claimByKey(key: string): Claim | undefined;
  perform(actions: readonly BinderAction[]): Promise<void>;
  readonly signal: AbortSignal;
}

function readVolume(name: string, client: Client): Promise<Volume | undefined> {
  return client
    .resource(persistentVolumes)
    .get(name)
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
}

/**
 * Applies the reclaim policy to a released volume. The volume is read again first, because time may have passed since
 * it was found released.
 *
 * @throws Error if it failed, after the volume's phase was set to Failed with the reason; the caller retries
 */
export async function reclaim(known: Volume, deps: ReclaimDeps): Promise<void> {
  const volume = await readVolume(known.metadata.name, deps.client);
  if (volume === undefined || volume.metadata.uid !== known.metadata.uid) return;
  const key = claimKeyOf(volume);
  if (!isReleased(volume, key === undefined ? undefined : deps.claimByKey(key))) return;
  const policy = volume.spec.persistentVolumeReclaimPolicy;
  if (policy === "Delete") await deleteVolume(volume, deps);
  else if (policy === "Recycle") await recycle(volume, deps);
}

/**
 * Reclaim policy Delete: deletes the storage first, because without the PersistentVolume it could no longer be found.
 */
async function deleteVolume(volume: Volume, { client, plugins, perform }: ReclaimDeps): Promise<void> {
  const { name, uid, deletionTimestamp, finalizers = [] } = volume.metadata;
  const isProtected = finalizers.includes(pvControllerFinalizer);
  if (deletionTimestamp !== undefined && !isProtected) return;
  try {
    const plugin = deleterOf(volume, plugins);
    if (plugin === undefined) return;
    await plugin.delete?.(volume);
  } catch (error) {
    await perform(volumePhase(volume, "Failed", { reason: "VolumeFailedDelete", message: messageOf(error) }));
    throw error;
  }
  if (isProtected) await removeProtection(volume, { client, perform });
  await client
    .resource(persistentVolumes)
    .delete(name, { preconditions: { uid } })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

/** Removes the finalizer of a volume whose storage is deleted. The volume is read again: deleting may have taken long. */
async function removeProtection(
  { metadata: { name, uid } }: Volume,
  { client, perform }: Pick<ReclaimDeps, "client" | "perform">,
): Promise<void> {
  const volume = await readVolume(name, client);
  if (volume?.metadata.uid !== uid) return;
  const finalizers = (volume.metadata.finalizers ?? []).filter((one) => one !== pvControllerFinalizer);
  await perform([{ type: "UpdateVolume", volume: { ...volume, metadata: { ...volume.metadata, finalizers } } }]);
}

/** Reclaim policy Recycle: deletes the content of the volume with a pod, then makes it available again. */
async function recycle(volume: Volume, deps: ReclaimDeps): Promise<void> {
  const { perform, plugins, pods } = deps;
  const users = pods.lister.byIndex(claimIndex, claimKeyOf(volume) ?? "").filter((pod) => !isPodTerminal(pod));
  if (users.length > 0) {
    const names = users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(",");
    await perform([binderEvent({ volume }, "Normal", "VolumeFailedRecycle", `Volume is used by pods: ${names}`)]);
    return;
  }
  const reason = "VolumeFailedRecycle";
  const plugin = plugins.find((one) => one.supports(volume));
  if (plugin?.recyclerPod === undefined) {
    await perform(volumePhase(volume, "Failed", { reason, message: "No recycler plugin found for the volume!" }));
    return;
  }
  try {
    await runToCompletion(plugin.recyclerPod(volume), volume, deps);
  } catch (error) {
    // If the daemon stops, the volume stays Released, and the next leader starts again.
    if (!deps.signal.aborted) {
      const message = `Recycle failed: ${messageOf(error)}`;
      await perform(volumePhase(volume, "Failed", { reason, message }));
    }
    throw error;
  }
  await perform([binderEvent({ volume }, "Normal", "VolumeRecycled", "Volume recycled"), ...unbind(volume)]);
}

/** Runs a pod to completion, and deletes it. @throws Error if it fails or something else deletes it */
async function runToCompletion(pod: NewPod, volume: Volume, deps: ReclaimDeps): Promise<void> {
  const { client, perform, signal } = deps;
  const { name = "", namespace = "" } = pod.metadata;
  const resource = client.resource(podsRef).namespace(namespace);
  const remove = async (): Promise<void> => {
    await resource.delete(name, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  };
  try {
    await resource.create(pod);
  } catch (error) {
    if (!isAlreadyExists(error)) throw new Error(`unexpected error creating recycler pod: ${messageOf(error)}`);
    await remove();
    throw new Error("old recycler pod found, will retry later");
  }
  await perform([binderEvent({ volume }, "Normal", "RecyclerPod", `Recycler pod: created pod ${namespace}/${name}`)]);
  try {
    await ended(namespace, name, deps);
  } finally {
    if (!signal.aborted) await remove();
  }
}

/** Resolves when the pod has succeeded. @throws Error if it failed or was deleted */
async function ended(namespace: string, name: string, { client, signal }: ReclaimDeps): Promise<void> {
  const resource = client.resource(podsRef).namespace(namespace);
  for (;;) {
    const { items, metadata } = await resource.list({ fieldSelector: `metadata.name=${name}`, signal });
    const [pod] = items;
    if (pod === undefined) throw new Error("recycler pod was deleted");
    if (judge(pod)) return;
    const { resourceVersion = "" } = metadata ?? {};
    for await (const event of resource.watch({ fieldSelector: `metadata.name=${name}`, resourceVersion, signal })) {
      if (event.type === "DELETED") throw new Error("recycler pod was deleted");
      if ((event.type === "ADDED" || event.type === "MODIFIED") && judge(event.object)) return;
    }
  }
}

/** Whether the pod has succeeded. @throws Error with the pod's message if it has failed */
function judge({ status }: core.Pod): boolean {
  if (status?.phase === "Failed") {
    throw new Error(status.message || "pod failed, pod.Status.Message unknown.");
  }
  return status?.phase === "Succeeded";
}
