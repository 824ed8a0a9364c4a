import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { NotAPlainPath, removeTreeBelow } from "@orchernetes/host";
import { type RecyclerSettings, recyclerPod } from "./recycler-pod.ts";
import type { VolumePlugin } from "./volume-plugin.ts";

const name = "orchernetes.io/host-path";

/** The settings of the hostPath plugin. */
export interface HostPathSettings {
  /** Whether directories of this host may be provisioned. */
  readonly hostPathProvisioning: boolean;
  readonly hostPathRecycler: RecyclerSettings;
}

/**
 * Provisions directories of this host, for development clusters that consist of a single host.
 *
 * @param root parent of all created directories; nothing outside it is ever deleted
 */
export function hostPathPlugin(
  { hostPathProvisioning, hostPathRecycler }: HostPathSettings,
  root = "/tmp",
): VolumePlugin {
  return {
    name,
    supports: ({ spec }) => spec.hostPath !== undefined,
    recyclerPod: (volume) => {
      const { path = "" } = volume.spec.hostPath ?? {};
      return recyclerPod(volume, { hostPath: { path } }, hostPathRecycler);
    },
    async delete({ spec }) {
      const { path = "" } = spec.hostPath ?? {};
      const refusal = new Error(`host_path deleter only supports ${root}/.+ but received provided ${path}`);
      if (!path.startsWith(`${root}/`)) throw refusal;
      const names = path
        .slice(root.length)
        .split("/")
        .filter((part) => part !== "");
      // Everybody may write into the root: whoever owns a folder there may replace it with a link at any time.
      await removeTreeBelow(root, names).catch((error: unknown) => {
        throw error instanceof NotAPlainPath ? refusal : error;
      });
    },
    async provision({ spec }) {
      if (!hostPathProvisioning) throw new Error(`provisioning in volume plugin "${name}" is disabled`);
      if (spec.volumeMode === "Block") throw new Error(`${name} does not support block volume provisioning`);
      const path = join(root, "hostpath_pv", randomUUID());
      await mkdir(path, { recursive: true, mode: 0o750 });
      const { storage = "0" } = spec.resources?.requests ?? {};
      const accessModes = spec.accessModes?.length ? spec.accessModes : (["ReadWriteOnce"] as const);
      return {
        annotations: { "orchernetes.io/createdby": "hostpath-dynamic-provisioner" },
        spec: { accessModes, capacity: { storage }, hostPath: { path } },
      };
    },
  };
}
