import type { core, storage } from "@orchernetes/api";

/** An in-tree kind of volume whose work was taken over by a CSI driver (KEP-625). */
export interface MigratedPlugin {
  /** Name of the in-tree plugin, which storage classes use as their provisioner. */
  readonly plugin: string;
  readonly driver: string;
}

/** By the field of the volume. All of them are migrated in 1.27, without a gate that could change it. */
export const migratedPlugins = {
  awsElasticBlockStore: { plugin: "orchernetes.io/aws-ebs", driver: "ebs.csi.aws.com" },
  azureDisk: { plugin: "orchernetes.io/azure-disk", driver: "disk.csi.azure.com" },
  azureFile: { plugin: "orchernetes.io/azure-file", driver: "file.csi.azure.com" },
  cinder: { plugin: "orchernetes.io/cinder", driver: "cinder.csi.openstack.org" },
  gcePersistentDisk: { plugin: "orchernetes.io/gce-pd", driver: "pd.csi.storage.gke.io" },
  vsphereVolume: { plugin: "orchernetes.io/vsphere-volume", driver: "csi.vsphere.vmware.com" },
} as const satisfies Readonly<Partial<Record<keyof core.PersistentVolumeSpec & keyof core.Volume, MigratedPlugin>>>;

/** The field of a volume whose kind was migrated. */
export type MigratedField = keyof typeof migratedPlugins;

const fields = Object.keys(migratedPlugins) as readonly MigratedField[];

/** The fields of volumes that have counterparts in volumes of pods and in persistent volumes. */
export type MigratedSources = Pick<core.PersistentVolumeSpec | core.Volume, MigratedField>;

/** The field of a volume that a driver takes care of; undefined for any other volume. */
export const migratedFieldOf = (spec: MigratedSources): MigratedField | undefined =>
  fields.find((field) => spec[field] !== undefined);

/** The plugin and the driver of a volume whose kind was migrated; undefined for any other volume. */
export function migratedPluginOf(spec: MigratedSources): MigratedPlugin | undefined {
  const field = migratedFieldOf(spec);
  return field && migratedPlugins[field];
}

/** The driver that took over the work of an in-tree plugin; undefined if none did. */
export const driverOfPlugin = (plugin: string): string | undefined =>
  Object.values(migratedPlugins).find((one) => one.plugin === plugin)?.driver;

/** On a CSINode: the in-tree plugins whose work a driver does on the node, separated by commas. */
const migratedOnNode = "storage.alpha.orchernetes.io/migrated-plugins";

/** Whether the agent of a node leaves the work of an in-tree plugin to the CSI driver. */
export const isMigratedOn = (csiNode: storage.CSINode | undefined, plugin: string): boolean =>
  csiNode?.metadata.annotations?.[migratedOnNode]?.split(",").includes(plugin) ?? false;
