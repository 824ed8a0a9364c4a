import { readFileSync } from "node:fs";
import type { core } from "@orchernetes/api";
import { parseYaml } from "@orchernetes/apimachinery";
import type { Flags } from "../../config.ts";

/** How pods that empty volumes of one kind are made. */
export interface RecyclerSettings {
  /** Least seconds such a pod may run. */
  readonly minimumTimeoutSeconds: number;
  /** Seconds it may run for each Gi of the volume. */
  readonly incrementTimeoutSeconds: number;
  /** The pod; its first volume is replaced by the one to empty. */
  readonly template: RecyclerTemplate;
}

export interface RecyclerTemplate {
  readonly metadata: Pick<core.Pod["metadata"], "namespace" | "labels" | "annotations">;
  readonly spec: core.PodSpec;
}

/** Settings of the persistent volume binder, from flags. Times are in milliseconds unless the name says otherwise. */
export interface VolumeSettings {
  readonly syncPeriodMs: number;
  readonly dynamicProvisioning: boolean;
  readonly hostPathProvisioning: boolean;
  /** Gate RetroactiveDefaultStorageClass. */
  readonly retroactiveDefaultClass: boolean;
  readonly nfsRecycler: RecyclerSettings;
  readonly hostPathRecycler: RecyclerSettings;
}

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

/** The binder's part of the configuration, but for gates; what is wrong with the flags' files is added to the faults. */
export function volumeSettings(flags: Flags, faults: string[]): Omit<VolumeSettings, "retroactiveDefaultClass"> {
  const template = (flag: "pv-recycler-pod-template-filepath-nfs" | "pv-recycler-pod-template-filepath-hostpath") => {
    if (flags[flag] === "") return defaultRecycler;
    try {
      return recyclerTemplate(readFileSync(flags[flag], "utf8"));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      faults.push(`invalid value ${JSON.stringify(flags[flag])} for flag --${flag}: ${why}; want a readable pod file`);
      return defaultRecycler;
    }
  };
  return {
    syncPeriodMs: flags["pvclaimbinder-sync-period"],
    dynamicProvisioning: flags["enable-dynamic-provisioning"],
    hostPathProvisioning: flags["enable-hostpath-provisioner"],
    nfsRecycler: {
      minimumTimeoutSeconds: flags["pv-recycler-minimum-timeout-nfs"],
      incrementTimeoutSeconds: flags["pv-recycler-increment-timeout-nfs"],
      template: template("pv-recycler-pod-template-filepath-nfs"),
    },
    hostPathRecycler: {
      minimumTimeoutSeconds: flags["pv-recycler-minimum-timeout-hostpath"],
      incrementTimeoutSeconds: flags["pv-recycler-timeout-increment-hostpath"],
      template: template("pv-recycler-pod-template-filepath-hostpath"),
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
