import { readFileSync } from "node:fs";
import type { core } from "@orchernetes/api";
import { parseYaml } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { messageOf } from "@orchernetes/kernel";
import type { SettingsSource } from "../../shared/define-controller.ts";
import type { PluginSettings } from "./plugins/index.ts";
import type { RecyclerTemplate } from "./plugins/recycler-pod.ts";

/** Settings of the persistent volume binder, from the configuration. Times are in milliseconds unless the name says otherwise. */
export interface VolumeSettings extends PluginSettings {
  readonly syncPeriodMs: number;
  readonly dynamicProvisioning: boolean;
  /** Gate RetroactiveDefaultStorageClass. */
  readonly retroactiveDefaultClass: boolean;
  /** Gate HonorPVReclaimPolicy. */
  readonly honorsReclaimPolicy: boolean;
}

/** Deletes the content of a volume, including hidden files, and fails if anything is left. */
const wipe = 'test -e /scrub && rm -rf /scrub/..?* /scrub/.[!.]* /scrub/* && test -z "$(ls -A /scrub)" || exit 1';

/** The recycler where no file says otherwise. */
export const defaultRecycler: RecyclerTemplate = {
  metadata: { namespace: "default" },
  spec: {
    restartPolicy: "Never",
    volumes: [{ name: "vol" }],
    containers: [
      {
        name: "pv-recycler",
        image: "localhost/busybox:1",
        command: ["/bin/sh", "-c", wipe],
        resources: {},
        volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
      },
    ],
  },
};

/** The flags of the persistent volume binder. */
export const volumeFlags = flagSection("Persistent volume binder controller", {
  "pvclaimbinder-sync-period": {
    field: "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
    type: "duration",
    default: "15s",
    min: 1,
    help: "Interval between syncs of volumes and claims.",
  },
  "enable-dynamic-provisioning": {
    field: "PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
    type: "bool",
    default: true,
    help: "Enables dynamic provisioning of volumes for claims with a storage class.",
  },
  "enable-hostpath-provisioner": {
    field: "PersistentVolumeBinderController.VolumeConfiguration.EnableHostPathProvisioning",
    type: "bool",
    default: false,
    help: "Provisions volumes from directories of the host if there is no cloud provider; only for testing on one node.",
  },
  "flex-volume-plugin-dir": {
    field: "PersistentVolumeBinderController.VolumeConfiguration.FlexVolumePluginDir",
    type: "string",
    default: "/usr/libexec/orchernetes/orchlet-plugins/volume/exec/",
    effect: "none",
    help: "Directory searched for third-party volume plugins.",
  },
  "pv-recycler-minimum-timeout-nfs": {
    field:
      "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MinimumTimeoutNFS",
    type: "int",
    default: 300,
    min: 0,
    help: "Minimum number of seconds that a recycler pod for an NFS volume may run.",
  },
  "pv-recycler-increment-timeout-nfs": {
    field:
      "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.IncrementTimeoutNFS",
    type: "int",
    default: 30,
    min: 0,
    help: "Additional seconds per Gi that a recycler pod for an NFS volume may run.",
  },
  "pv-recycler-pod-template-filepath-nfs": {
    field:
      "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.PodTemplateFilePathNFS",
    type: "string",
    default: "",
    help: "Pod file used as the template of recyclers for NFS volumes.",
  },
  "pv-recycler-minimum-timeout-hostpath": {
    field:
      "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MinimumTimeoutHostPath",
    type: "int",
    default: 60,
    min: 0,
    help: "Minimum number of seconds that a recycler pod for a host path may run; for development only.",
  },
  "pv-recycler-timeout-increment-hostpath": {
    field:
      "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.IncrementTimeoutHostPath",
    type: "int",
    default: 30,
    min: 0,
    help: "Additional seconds per Gi that a recycler pod for a host path may run; for development only.",
  },
  "pv-recycler-pod-template-filepath-hostpath": {
    field:
      "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.PodTemplateFilePathHostPath",
    type: "string",
    default: "",
    help: "Pod file used as the template of recyclers for host paths; for development only.",
  },
  "volume-host-cidr-denylist": {
    field: "PersistentVolumeBinderController.VolumeHostCIDRDenylist",
    type: "strings",
    default: [],
    effect: "none",
    help: "Ranges that volume plugins must not connect to.",
  },
  "volume-host-allow-local-loopback": {
    field: "PersistentVolumeBinderController.VolumeHostAllowLocalLoopback",
    type: "bool",
    default: true,
    effect: "none",
    help: "Allows volume plugins to connect to loopback addresses.",
  },
});

/** The binder's part of the configuration. What is wrong with the files of recyclers is added to the errors of the source. */
export function volumeSettings({ document, gates, files, namedFile }: SettingsSource): VolumeSettings {
  const { PVClaimBinderSyncPeriod, VolumeConfiguration: section } = document.PersistentVolumeBinderController;
  const recycler = section.PersistentVolumeRecyclerConfiguration;
  const template = (field: "PodTemplateFilePathNFS" | "PodTemplateFilePathHostPath"): RecyclerTemplate => {
    const path = `PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.${field}`;
    const file = namedFile(path);
    if (file.path === "") return defaultRecycler;
    try {
      return recyclerTemplate(readFileSync(file.path, "utf8"));
    } catch (error) {
      const value = `invalid value ${JSON.stringify(file.path)}`;
      const what = file.from.startsWith("--config:") ? `${file.from}: ${value}` : `${value} for flag ${file.from}`;
      files.errors.push(`${what}: ${messageOf(error)}; want a readable pod file`);
      return defaultRecycler;
    }
  };
  return {
    syncPeriodMs: PVClaimBinderSyncPeriod,
    dynamicProvisioning: section.EnableDynamicProvisioning,
    hostPathProvisioning: section.EnableHostPathProvisioning,
    retroactiveDefaultClass: gates.enabled("RetroactiveDefaultStorageClass"),
    honorsReclaimPolicy: gates.enabled("HonorPVReclaimPolicy"),
    nfsRecycler: {
      minimumTimeoutSeconds: recycler.MinimumTimeoutNFS,
      incrementTimeoutSeconds: recycler.IncrementTimeoutNFS,
      template: template("PodTemplateFilePathNFS"),
    },
    hostPathRecycler: {
      minimumTimeoutSeconds: recycler.MinimumTimeoutHostPath,
      incrementTimeoutSeconds: recycler.IncrementTimeoutHostPath,
      template: template("PodTemplateFilePathHostPath"),
    },
  };
}

/** A pod's YAML or JSON as a template. @throws Error when it is no pod, or has no volume that could be replaced */
export function recyclerTemplate(text: string): RecyclerTemplate {
  const { value } = parseYaml(text);
  const pod = value as { readonly kind?: unknown; readonly metadata?: unknown; readonly spec?: unknown } | null;
  if (typeof pod !== "object" || pod?.kind !== "Pod") throw new Error("not a Pod");
  const spec = (pod.spec ?? {}) as Partial<core.PodSpec>;
  const { containers, volumes } = spec;
  if (!Array.isArray(containers) || containers.length === 0) throw new Error("the pod does not contain any container");
  if (!Array.isArray(volumes) || volumes.length === 0) throw new Error("the pod does not contain any volume");
  const { namespace, labels, annotations } = (pod.metadata ?? {}) as core.Pod["metadata"];
  return {
    metadata: {
      namespace: namespace ?? "default",
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { ...spec, containers },
  };
}
