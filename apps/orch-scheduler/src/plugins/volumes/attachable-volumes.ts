import { createHash } from "node:crypto";
import type { core, storage } from "@orchernetes/api";
import {
  type Claim,
  classNameOf,
  driverOfPlugin,
  type MigratedPlugin,
  migratedPluginOf,
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

/** On a CSINode: the in-tree plugins whose work a driver does on the node, separated by commas. */
const migratedPlugins = "storage.alpha.orchernetes.io/migrated-plugins";

/** Whether a CSI driver does the work of an in-tree plugin on a node. */
export function isMigratedOn(csiNode: storage.CSINode | undefined, plugin: string): boolean {
  return csiNode?.metadata.annotations?.[migratedPlugins]?.split(",").includes(plugin) ?? false;
}

const HANDLES = {
  awsElasticBlockStore: "volumeID",
  azureDisk: "diskName",
  cinder: "volumeID",
  gcePersistentDisk: "pdName",
  vsphereVolume: "volumePath",
} as const;

type InTree = Pick<core.PersistentVolumeSpec, keyof typeof HANDLES>;

/** Identifies an in-tree volume. */
function handleOf(spec: InTree): string {
  for (const [field, key] of Object.entries(HANDLES)) {
    const source = spec[field as keyof InTree] as Readonly<Record<string, unknown>> | undefined;
    if (source !== undefined) return String(source[key] ?? "");
  }
  return "";
}

const inTree = ({ plugin, driver }: MigratedPlugin, id: string, csiNode: storage.CSINode | undefined) => ({
  by: isMigratedOn(csiNode, plugin) ? driver : plugin,
  id,
});

/** The volume that a claim is bound to, or will be bound to: a claim counts before its volume exists. */
function ofClaim(claim: Claim, cluster: Volumes, csiNode: storage.CSINode | undefined): AttachableVolume | undefined {
  const { volumeName } = claim.spec;
  const volume = volumeName ? cluster.volume(volumeName) : undefined;
  if (volume !== undefined) {
    const { csi } = volume.spec;
    if (csi !== undefined) return { by: csi.driver, id: csi.volumeHandle };
    const migrated = migratedPluginOf(volume.spec);
    return migrated && inTree(migrated, handleOf(volume.spec), csiNode);
  }
  const provisioner = cluster.storageClass(classNameOf(claim))?.provisioner;
  if (!provisioner) return undefined;
  const { namespace, name } = claim.metadata;
  const driver = driverOfPlugin(provisioner);
  const id = `claim ${namespace}/${name}`;
  return driver === undefined ? { by: provisioner, id } : inTree({ plugin: provisioner, driver }, id, csiNode);
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
  for (const volume of pod.spec.volumes ?? []) {
    const migrated = migratedPluginOf(volume as InTree);
    if (migrated !== undefined) found.push(inTree(migrated, handleOf(volume as InTree), csiNode));
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
