import type { core } from "@orchernetes/api";

/** An in-tree kind of volume whose work was taken over by a CSI driver (KEP-625). */
export interface MigratedPlugin {
  /** Name of the in-tree plugin, which storage classes use as their provisioner. */
  readonly plugin: string;
  readonly driver: string;
}

/** By the field of the volume. All of them are migrated in 1.27, without a gate that could change it. */
const migrated = {
  awsElasticBlockStore: { plugin: "orchernetes.io/aws-ebs", driver: "ebs.csi.aws.com" },
  azureDisk: { plugin: "orchernetes.io/azure-disk", driver: "disk.csi.azure.com" },
  azureFile: { plugin: "orchernetes.io/azure-file", driver: "file.csi.azure.com" },
  cinder: { plugin: "orchernetes.io/cinder", driver: "cinder.csi.openstack.org" },
  gcePersistentDisk: { plugin: "orchernetes.io/gce-pd", driver: "pd.csi.storage.gke.io" },
  vsphereVolume: { plugin: "orchernetes.io/vsphere-volume", driver: "csi.vsphere.vmware.com" },
} as const satisfies Readonly<Partial<Record<keyof core.PersistentVolumeSpec, MigratedPlugin>>>;

/** The plugin and the driver of a volume whose kind was migrated; undefined for any other volume. */
export function migratedPluginOf(spec: core.PersistentVolumeSpec): MigratedPlugin | undefined {
  for (const [field, plugin] of Object.entries(migrated))
    if (spec[field as keyof typeof migrated] !== undefined) return plugin;
  return undefined;
}

/** The driver that took over the work of an in-tree plugin; undefined if none did. */
export const driverOfPlugin = (plugin: string): string | undefined =>
  Object.values(migrated).find((one) => one.plugin === plugin)?.driver;
