import { core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { checkBlockDevice, checkLocalFolder, prepareHostPath } from "./host-path.ts";
import { createLocalPath, isOfLocalPathProvisioner, isProvisionedHere, type LocalPathNode } from "./local-path.ts";

/** A claim, and the volume to which it is bound. */
export interface BoundClaim {
  readonly claim: Stored<core.PersistentVolumeClaim>;
  readonly volume: Stored<core.PersistentVolume>;
}

/** A volume on the host to which a claim is bound. */
export interface ClaimedVolume {
  readonly path: string;
  readonly readOnly: boolean;
  /** Whether the path is that of a device, which is not mounted. */
  readonly block: boolean;
  /** Whether the volume is of kind `local`. Only then does fsGroup apply; a `hostPath` belongs to the host. */
  readonly local: boolean;
}

/**
 * Finds the volume to which a claim is bound.
 *
 * @param ownerUid uid of the pod to which the claim of a generic ephemeral volume must belong (KEP-1698)
 * @throws Error if the claim is missing, not bound or somebody else's
 */
export async function readClaim(
  client: Client,
  namespace: string,
  claimName: string,
  owner?: core.Pod["metadata"],
): Promise<BoundClaim> {
  const claim = await found(client.resource(core.persistentVolumeClaims).namespace(namespace).get(claimName));
  if (claim === undefined) throw new Error(`persistentvolumeclaim "${claimName}" not found`);
  const owners = claim.metadata.ownerReferences ?? [];
  if (owner !== undefined && !owners.some(({ controller, uid }) => controller && uid === owner.uid))
    throw new Error(
      `PVC ${namespace}/${claimName} was not created for pod ${namespace}/${owner.name ?? ""} (pod is not owner)`,
    );
  const { volumeName } = claim.spec;
  if (claim.status?.phase !== "Bound" || !volumeName)
    throw new Error(
      `PVC ${namespace}/${claimName} has non-bound phase ("${claim.status?.phase ?? ""}") or empty pvc.Spec.VolumeName`,
    );
  const volume = await found(client.resource(core.persistentVolumes).get(volumeName));
  if (volume === undefined) throw new Error(`persistentvolume "${volumeName}" not found`);
  if (volume.spec.claimRef?.uid !== claim.metadata.uid)
    throw new Error(`PV "${volumeName}" is bound to another claim than ${namespace}/${claimName}`);
  return { claim, volume };
}

/** Whether only one pod may use the claim: access mode ReadWriteOncePod (KEP-2485). */
export const isExclusive = ({ claim }: BoundClaim): boolean =>
  claim.spec.accessModes?.includes("ReadWriteOncePod") ?? false;

/** Whether the volume may only be read by many nodes. */
export const isReadOnly = ({ volume }: BoundClaim): boolean =>
  (volume.spec.accessModes ?? []).every((mode) => mode === "ReadOnlyMany");

/**
 * Prepares the path on the host of a volume of kind hostPath or local; undefined for any other kind.
 *
 * @throws Error if there is nothing at the path, or the volume was provisioned for another node
 */
export async function prepareHostVolume(bound: BoundClaim, node: LocalPathNode): Promise<ClaimedVolume | undefined> {
  const { volume } = bound;
  const { hostPath, local, volumeMode } = volume.spec;
  const readOnly = isReadOnly(bound);
  const block = volumeMode === "Block";
  const isProvisioned = isOfLocalPathProvisioner(volume);
  if (isProvisioned && !isProvisionedHere(volume, node))
    throw new Error(
      `PV "${volume.metadata.name}" of the provisioner of local paths is not in the folder of node "${node.nodeName}"`,
    );
  if (hostPath !== undefined) {
    if (block) throw new Error(`PV "${volume.metadata.name}" of kind hostPath has volumeMode "Block"; want kind local`);
    return { path: await prepareHostPath(hostPath), readOnly, block, local: false };
  }
  if (local === undefined) return undefined;
  if (block) return { path: await checkBlockDevice(local.path), readOnly, block, local: true };
  if (isProvisioned) await createLocalPath(local.path);
  return { path: await checkLocalFolder(local.path), readOnly, block, local: true };
}

async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
