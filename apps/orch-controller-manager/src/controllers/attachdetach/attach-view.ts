import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Indexers, Informer } from "@orchernetes/client";
import { isPodTerminal, type Volume } from "@orchernetes/component-helpers";
import type { ManagerShell } from "../../shared/define-controller.ts";
import { claimIndex, claimIndexers, claimKeysOf } from "../../shared/pod-claims.ts";
import {
  csiDrivers,
  nodes as nodesRef,
  persistentVolumeClaims,
  persistentVolumes,
  pods as podsRef,
  volumeAttachments,
} from "../../shared/refs.ts";
import { csiVolumeOf } from "./names.ts";
import type { VolumeState } from "./reconcile-volume.ts";

/** The caches of the controller. */
export interface AttachView {
  readonly pods: Informer<core.Pod>;
  readonly nodes: Informer<core.Node>;
  readonly claims: Informer<core.PersistentVolumeClaim>;
  readonly volumes: Informer<core.PersistentVolume>;
  readonly attachments: Informer<storage.VolumeAttachment>;
  readonly drivers: Informer<storage.CSIDriver>;
  /** Everything that determines where a volume is attached; undefined if it does not exist, or is of no CSI driver. */
  stateOf(volume: string): Omit<VolumeState, "unusedSinceMs"> | undefined;
  /** Names of the volumes that a pod uses. */
  volumesOfPod(pod: Stored<core.Pod>): readonly string[];
  /** Names of the volumes that the pods of a node use. */
  volumesOf(node: string): readonly string[];
  /** The attachments of a node. */
  attachmentsOn(node: string): readonly Stored<storage.VolumeAttachment>[];
}

const volumeIndex = "volume";
const nodeIndex = "node";
/** Index of the pods with claims by node. */
const consumerIndex = "claimConsumersOfNode";
const podIndexers: Indexers<core.Pod> = {
  ...claimIndexers,
  [consumerIndex]: (pod) => (pod.spec.nodeName && claimKeysOf(pod).length > 0 ? pod.spec.nodeName : undefined),
};
const indexers: Indexers<storage.VolumeAttachment> = {
  [volumeIndex]: ({ spec }) => spec.source.persistentVolumeName,
  [nodeIndex]: ({ spec }) => spec.nodeName,
};

/** Whether no container of the pod runs any more, so that its volumes are not needed. */
function hasEnded(pod: Stored<core.Pod>): boolean {
  if (isPodTerminal(pod)) return true;
  const statuses = pod.status?.containerStatuses ?? [];
  const isRunning = statuses.some(({ state }) => state?.terminated === undefined && state?.waiting === undefined);
  return pod.metadata.deletionTimestamp !== undefined && statuses.length > 0 && !isRunning;
}

/** Creates the view. Must be called before the informers start. */
export function createAttachView(shell: ManagerShell): AttachView {
  const pods = shell.informer(podsRef, podIndexers);
  const nodes = shell.informer(nodesRef);
  const claims = shell.informer(persistentVolumeClaims);
  const volumes = shell.informer(persistentVolumes);
  const attachments = shell.informer(volumeAttachments, indexers);
  const drivers = shell.informer(csiDrivers);

  const usersOf = ({ metadata, spec: { claimRef } }: Volume): readonly Stored<core.Pod>[] => {
    if (!claimRef?.uid) return [];
    const key = `${claimRef.namespace}/${claimRef.name}`;
    const claim = claims.lister.byKey(key);
    if (claim?.metadata.uid !== claimRef.uid || claim.spec.volumeName !== metadata.name) return [];
    return pods.lister.byIndex(claimIndex, key).filter((pod) => pod.spec.nodeName && !hasEnded(pod));
  };
  const volumesOfPod = (pod: Stored<core.Pod>): readonly string[] =>
    claimKeysOf(pod).flatMap((key) => claims.lister.byKey(key)?.spec.volumeName || []);
  return {
    volumesOfPod,
    volumesOf: (node) => pods.lister.byIndex(consumerIndex, node).flatMap(volumesOfPod),
    ...{ pods, nodes, claims, volumes, attachments, drivers },
    attachmentsOn: (node) => attachments.lister.byIndex(nodeIndex, node),
    stateOf(name) {
      const object = volumes.lister.byKey(name);
      const volume = object && csiVolumeOf(object);
      if (object === undefined || volume === undefined) return undefined;
      const ofVolume = attachments.lister.byIndex(volumeIndex, name);
      return {
        volume,
        name,
        object,
        // Unless a driver says otherwise, its volumes must be attached.
        attachable: drivers.lister.byKey(volume.driver)?.spec.attachRequired !== false,
        pods: usersOf(object),
        attachments: ofVolume.filter(({ spec }) => spec.attacher === volume.driver),
        node: (node) => nodes.lister.byKey(node),
      };
    },
  };
}
