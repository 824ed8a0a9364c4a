import { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { checkLocalFolder, prepareHostPath } from "./host-path.ts";
import { createLocalPath, isOfLocalPathProvisioner, isProvisionedHere, type LocalPathNode } from "./local-path.ts";

/** The volume that a claim is bound to. */
export interface ClaimedVolume {
  readonly path: string;
  readonly readOnly: boolean;
  /** Whether the volume is of kind `local`. Only then does fsGroup apply; a `hostPath` belongs to the host. */
  readonly local: boolean;
  /** Whether only one pod may use it: access mode ReadWriteOncePod (KEP-2485). */
  readonly exclusive: boolean;
}

/**
 * Finds the volume to which a claim is bound, and prepares its path on the host.
 *
 * @throws Error if the claim is missing or not bound, this agent cannot mount volumes of this kind, or the volume was
 *   provisioned for another node
 */
export async function prepareClaim(
  client: Client,
  node: LocalPathNode,
  namespace: string,
  claimName: string,
): Promise<ClaimedVolume> {
  const claim = await found(client.resource(core.persistentVolumeClaims).namespace(namespace).get(claimName));
  if (claim === undefined) throw new Error(`persistentvolumeclaim "${claimName}" not found`);
  const { volumeName } = claim.spec;
  if (claim.status?.phase !== "Bound" || !volumeName)
    throw new Error(
      `PVC ${namespace}/${claimName} has non-bound phase ("${claim.status?.phase ?? ""}") or empty pvc.Spec.VolumeName`,
    );
  const volume = await found(client.resource(core.persistentVolumes).get(volumeName));
  if (volume === undefined) throw new Error(`persistentvolume "${volumeName}" not found`);
  const { hostPath, local, claimRef, volumeMode } = volume.spec;
  if (claimRef?.uid !== claim.metadata.uid)
    throw new Error(`PV "${volumeName}" is bound to another claim than ${namespace}/${claimName}`);
  if (volumeMode === "Block")
    throw new Error(
      `PV "${volumeName}" has volumeMode "Block"; this agent gives containers no devices, only volumes of mode "Filesystem"`,
    );
  const readOnly = (volume.spec.accessModes ?? []).every((mode) => mode === "ReadOnlyMany");
  const exclusive = claim.spec.accessModes?.includes("ReadWriteOncePod") ?? false;
  const isProvisioned = isOfLocalPathProvisioner(volume);
  if (isProvisioned && !isProvisionedHere(volume, node))
    throw new Error(
      `PV "${volumeName}" of the provisioner of local paths is not in the folder of node "${node.nodeName}"`,
    );
  if (hostPath !== undefined) return { path: await prepareHostPath(hostPath), readOnly, local: false, exclusive };
  if (local !== undefined) {
    if (isProvisioned) await createLocalPath(local.path);
    return { path: await checkLocalFolder(local.path), readOnly, local: true, exclusive };
  }
  throw new Error(`PV "${volumeName}" is neither of kind hostPath nor local; this agent mounts no other kind`);
}

async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
