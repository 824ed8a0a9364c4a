import { createHash } from "node:crypto";
import type { core, storage } from "@orchernetes/api";
import {
  type Claim,
  classNameOf,
  driverOfPlugin,
  isMigratedOn,
  migratedPluginOf,
  translateInlineVolume,
  translateVolume,
  type Volume,
} from "@orchernetes/component-helpers";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Volumes } from "../../volumes/volumes.ts";

/** A volume that occupies one of a node's places for attached volumes. */
export interface AttachableVolume {
  /** Name of the CSI driver, or of the in-tree plugin if no driver has taken over its work on the node. */
  readonly by: string;
  /** Equal for two uses of one volume. */
  readonly id: string;
}

/**
 * Whether the volumes of an in-tree plugin count for the driver that took over its work on a node. Disks of Compute Engine
 * do where the node's agent leaves them to the driver; those of the other clouds wherever drivers report at all. Other
 * kinds have no limits. As in the original.
 */
export function countsForDriver(csiNode: storage.CSINode | undefined, plugin: string): boolean {
  if (csiNode === undefined) return false;
  switch (plugin) {
    case "orchernetes.io/aws-ebs":
    case "orchernetes.io/azure-disk":
    case "orchernetes.io/cinder":
      return true;
    case "orchernetes.io/gce-pd":
      return isMigratedOn(csiNode, plugin);
    default:
      return false;
  }
}

/** Equal for nodes on which {@link countsForDriver} is the same for all plugins. */
export const migrationOf = (csiNode: storage.CSINode | undefined): string =>
  csiNode === undefined ? "none" : countsForDriver(csiNode, "orchernetes.io/gce-pd") ? "all" : "most";

const IDS = {
  awsElasticBlockStore: "volumeID",
  azureDisk: "diskName",
  cinder: "volumeID",
  gcePersistentDisk: "pdName",
  vsphereVolume: "volumePath",
} as const;

type InTree = Pick<core.PersistentVolumeSpec, keyof typeof IDS>;

/** Identifies an in-tree volume among those of its plugin. */
function idOf(spec: InTree): string {
  for (const [field, key] of Object.entries(IDS)) {
    const source = spec[field as keyof InTree] as Readonly<Record<string, unknown>> | undefined;
    if (source !== undefined) return String(source[key] ?? "");
  }
  return "";
}

/** The volume of a driver; undefined if there is none, or the driver cannot have it. */
function ofDriver(translate: () => core.PersistentVolumeSpec | undefined): AttachableVolume | undefined {
  try {
    const csi = translate()?.csi;
    return csi && { by: csi.driver, id: csi.volumeHandle };
  } catch {
    return undefined;
  }
}

function ofVolume(volume: Volume, csiNode: storage.CSINode | undefined): AttachableVolume | undefined {
  const migrated = migratedPluginOf(volume.spec);
  if (migrated !== undefined && !countsForDriver(csiNode, migrated.plugin))
    return { by: migrated.plugin, id: idOf(volume.spec) };
  return ofDriver(() => translateVolume(volume).spec);
}

function ofPod(
  volume: core.Volume,
  namespace: string,
  csiNode: storage.CSINode | undefined,
): AttachableVolume | undefined {
  const migrated = migratedPluginOf(volume);
  if (migrated === undefined) return undefined;
  if (!countsForDriver(csiNode, migrated.plugin)) return { by: migrated.plugin, id: idOf(volume) };
  return ofDriver(() => translateInlineVolume(volume, namespace)?.spec);
}

/** The volume that a claim is bound to, or will be bound to: a claim counts before its volume exists. */
function ofClaim(claim: Claim, cluster: Volumes, csiNode: storage.CSINode | undefined): AttachableVolume | undefined {
  const { volumeName } = claim.spec;
  const volume = volumeName ? cluster.volume(volumeName) : undefined;
  if (volume !== undefined) return ofVolume(volume, csiNode);
  const provisioner = cluster.storageClass(classNameOf(claim))?.provisioner;
  if (!provisioner) return undefined;
  const { namespace, name } = claim.metadata;
  const driver = countsForDriver(csiNode, provisioner) ? driverOfPlugin(provisioner) : undefined;
  return { by: driver ?? provisioner, id: `claim ${namespace}/${name}` };
}

/** The attachable volumes of a pod on a node. Claims that do not exist are left out. */
export function attachableVolumes(
  { pod, namespace, claims }: PodInfo,
  cluster: Volumes,
  csiNode: storage.CSINode | undefined,
): readonly AttachableVolume[] {
  const found: AttachableVolume[] = [];
  for (const key of claims) {
    const claim = cluster.claim(namespace, key.slice(namespace.length + 1));
    const volume = claim && ofClaim(claim, cluster, csiNode);
    if (volume !== undefined) found.push(volume);
  }
  for (const one of pod.spec.volumes ?? []) {
    const volume = ofPod(one, namespace, csiNode);
    if (volume !== undefined) found.push(volume);
  }
  return found;
}

const PREFIX = "attachable-volumes-csi-";

/** Name of the resource in a node's status with the limit of a driver. Long names are shortened by a hash, as in the original. */
export function limitResourceOf(driver: string): string {
  if (PREFIX.length + driver.length < 63) return `${PREFIX}${driver}`;
  const hash = createHash("sha1").update(driver).digest("hex");
  return `${PREFIX}${driver.slice(0, 23)}${hash.slice(0, 16)}`;
}
