import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Indexers, Informer } from "@orchernetes/client";
import { isPodTerminal, migratedPluginOf, type Volume } from "@orchernetes/component-helpers";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { claimIndex, claimIndexers, claimKeysOf } from "../../shared/pod-claims.ts";
import {
  csiDrivers,
  csiNodes,
  nodes as nodesRef,
  persistentVolumeClaims,
  persistentVolumes,
  pods as podsRef,
  volumeAttachments,
} from "../../shared/refs.ts";
import { keyOfAttachment, volumeOfStatus } from "./attachments.ts";
import { type CsiVolume, csiVolumeOf } from "./names.ts";
import type { VolumeState } from "./reconcile-volume.ts";
import {
  consumerIndex,
  inlineIndex,
  inlineVolumesOf,
  isAttachedByDriver,
  translatedVolume,
  volumeIndexers,
} from "./volumes-of-pods.ts";

type Pod = Stored<core.Pod>;
type Attachment = Stored<storage.VolumeAttachment>;
type Known = Omit<VolumeState, "unusedSinceMs" | "honorsOutOfService">;

/**
 * The caches of the controller. Volumes have keys: a PersistentVolume its name, a volume that is inline in pods its unique
 * name, which has a slash.
 */
export interface AttachView {
  readonly pods: Informer<core.Pod>;
  readonly nodes: Informer<core.Node>;
  readonly claims: Informer<core.PersistentVolumeClaim>;
  readonly volumes: Informer<core.PersistentVolume>;
  readonly attachments: Informer<storage.VolumeAttachment>;
  readonly drivers: Informer<storage.CSIDriver>;
  readonly csiNodes: Informer<storage.CSINode>;
  /** Everything that determines where a volume is attached; undefined if it does not exist, or is of no CSI driver. */
  stateOf(key: string): Known | undefined;
  /** The volume of an attachment; undefined if nothing tells which it is. */
  volumeOf(attachment: Attachment): CsiVolume | undefined;
  /** Keys of the volumes that a pod uses. */
  volumesOfPod(pod: Pod): readonly string[];
  /** Keys of the volumes that the pods of a node use. */
  volumesOf(node: string): readonly string[];
  /** The attachments of a node. */
  attachmentsOn(node: string): readonly Attachment[];
}

const volumeIndex = "volume";
const nodeIndex = "node";
const indexers: Indexers<storage.VolumeAttachment> = {
  [volumeIndex]: keyOfAttachment,
  [nodeIndex]: ({ spec }) => spec.nodeName,
};

/** On a node: its agent keeps the volumes of pods that have ended. */
const keepsVolumes = "volumes.orchernetes.io/keep-terminated-pod-volumes";

/** Whether no container of the pod runs any more, so that its volumes are not needed. */
function hasEnded(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true;
  const statuses = pod.status?.containerStatuses ?? [];
  const isRunning = statuses.some(({ state }) => state?.terminated === undefined && state?.waiting === undefined);
  return pod.metadata.deletionTimestamp !== undefined && statuses.length > 0 && !isRunning;
}

/** Creates the view. Must be called before the informers start. */
export function createAttachView(shell: ManagerShell): AttachView {
  const pods = shell.informer(podsRef, { ...claimIndexers, ...volumeIndexers });
  const nodes = shell.informer(nodesRef);
  const claims = shell.informer(persistentVolumeClaims);
  const volumes = shell.informer(persistentVolumes);
  const attachments = shell.informer(volumeAttachments, indexers);
  const drivers = shell.informer(csiDrivers);
  const perNode = shell.informer(csiNodes);

  const needs = (pod: Pod): boolean => {
    const { nodeName } = pod.spec;
    if (!nodeName) return false;
    return !hasEnded(pod) || nodes.lister.byKey(nodeName)?.metadata.annotations?.[keepsVolumes] === "true";
  };
  const usersOf = ({ metadata, spec: { claimRef } }: Volume): readonly Pod[] => {
    if (!claimRef?.uid) return [];
    const key = `${claimRef.namespace}/${claimRef.name}`;
    const claim = claims.lister.byKey(key);
    if (claim?.metadata.uid !== claimRef.uid || claim.spec.volumeName !== metadata.name) return [];
    return pods.lister.byIndex(claimIndex, key).filter(needs);
  };
  const volumesOfPod = (pod: Pod): readonly string[] => [
    ...claimKeysOf(pod).flatMap((key) => claims.lister.byKey(key)?.spec.volumeName || []),
    ...inlineVolumesOf(pod).map(({ key }) => key),
  ];
  const volumeOf = (attachment: Attachment): CsiVolume | undefined => {
    const { persistentVolumeName: name, inlineVolumeSpec } = attachment.spec.source;
    if (inlineVolumeSpec !== undefined) return csiVolumeOf(inlineVolumeSpec);
    const volume = volumes.lister.byKey(name ?? "");
    if (volume === undefined) return volumeOfStatus(attachment, nodes.lister.byKey(attachment.spec.nodeName));
    const translated = translatedVolume(volume);
    return translated && csiVolumeOf(translated.spec);
  };
  const stateOf = (key: string): Known | undefined => {
    const ofKey = attachments.lister.byIndex(volumeIndex, key);
    const found = sourceOf(key, { volumes, users: pods.lister.byIndex(inlineIndex, key), usersOf }, ofKey, volumeOf);
    if (found === undefined) return undefined;
    const { plugin, users, ...volume } = found;
    const { driver } = volume.volume;
    return {
      ...volume,
      migrated: plugin !== undefined,
      // Unless a driver says otherwise, its volumes must be attached.
      attachable: drivers.lister.byKey(driver)?.spec.attachRequired !== false,
      pods: users.filter(needs),
      attachments: ofKey.filter(({ spec }) => spec.attacher === driver),
      node: (node) => nodes.lister.byKey(node),
      isDriverOn: (node) => plugin === undefined || isAttachedByDriver(perNode.lister.byKey(node), plugin),
    };
  };
  return {
    ...{ pods, nodes, claims, volumes, attachments, drivers, csiNodes: perNode, stateOf, volumeOf, volumesOfPod },
    volumesOf: (node) => pods.lister.byIndex(consumerIndex, node).flatMap(volumesOfPod),
    attachmentsOn: (node) => attachments.lister.byIndex(nodeIndex, node),
  };
}

interface Sources {
  readonly volumes: Informer<core.PersistentVolume>;
  /** Pods in which the volume stands. */
  readonly users: readonly Pod[];
  usersOf(volume: Volume): readonly Pod[];
}

type Found = Pick<Known, "volume" | "name" | "source" | "accessModes" | "isOrphan"> & {
  readonly users: readonly Pod[];
  /** The in-tree plugin of its kind, if that was migrated. */
  readonly plugin: string | undefined;
};

/** What a key stands for: a PersistentVolume, a volume in pods, or one of which only attachments are left. */
function sourceOf(
  key: string,
  { volumes, users, usersOf }: Sources,
  attachments: readonly Attachment[],
  volumeOf: AttachView["volumeOf"],
): Found | undefined {
  const object = volumes.lister.byKey(key);
  if (object !== undefined) {
    const translated = translatedVolume(object);
    const volume = translated && csiVolumeOf(translated.spec);
    if (translated === undefined || volume === undefined) return undefined;
    const { accessModes = [] } = translated.spec;
    const plugin = migratedPluginOf(object.spec)?.plugin;
    const source = { persistentVolumeName: key };
    return { volume, name: key, source, accessModes, isOrphan: false, users: usersOf(object), plugin };
  }
  const [user] = users;
  const inPod = user && inlineVolumesOf(user).find((one) => one.key === key);
  const csi = inPod && csiVolumeOf(inPod.volume.spec);
  if (user !== undefined && inPod !== undefined && csi !== undefined) {
    const { name, spec } = inPod.volume;
    const plugin = user.spec.volumes?.map(migratedPluginOf).find((one) => one?.driver === csi.driver)?.plugin;
    const { accessModes = [] } = spec;
    return { volume: csi, name, source: { inlineVolumeSpec: spec }, accessModes, isOrphan: false, users, plugin };
  }
  const [attachment] = attachments;
  if (attachment === undefined) return undefined;
  const { attacher, source } = attachment.spec;
  const volume = attachments.map(volumeOf).find((one) => one !== undefined) ?? { driver: attacher, handle: "" };
  const isOrphan = source.inlineVolumeSpec === undefined;
  return { volume, name: key, source, accessModes: [], isOrphan, users: [], plugin: undefined };
}
