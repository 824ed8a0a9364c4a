import type { Plan } from "@orchernetes/controller";
import { type BinderAction, tell, unbind, volumePhase } from "./actions.ts";
import {
  type Claim,
  hasAnnotation,
  provisionedBy,
  type Volume,
  volumeModesMatch,
} from "./binding/volumes-and-claims.ts";

/** What the fate of a volume depends on. */
export interface VolumeState {
  readonly volume: Volume;
  /** The claim that it refers to by name and uid; undefined when that is gone for certain. */
  readonly claim: Claim | undefined;
}

/** What is to be done for a volume. */
export function reconcileVolume({ volume, claim }: VolumeState): Plan<BinderAction> {
  // Reserved by name alone, it waits for its claim.
  if (!volume.spec.claimRef?.uid) return { actions: volumePhase(volume, "Available") };
  if (claim === undefined) return { actions: release(volume) };
  const { volumeName } = claim.spec;
  if (!volumeName) return { actions: halfBound(volume, claim) };
  if (volumeName === volume.metadata.name) return { actions: volumePhase(volume, "Bound") };
  // The claim found another volume: one that was made for it serves nobody now.
  const surplus = hasAnnotation(volume, provisionedBy) && volume.spec.persistentVolumeReclaimPolicy === "Delete";
  return { actions: surplus ? release(volume) : unbind(volume) };
}

/** The claim is gone. That reclaiming failed stays to be seen while it is tried again. */
function release(volume: Volume): readonly BinderAction[] {
  const isReleased = volume.status?.phase === "Released" || volume.status?.phase === "Failed";
  const phase = isReleased ? [] : volumePhase(volume, "Released");
  if (volume.spec.persistentVolumeReclaimPolicy === "Retain") return phase;
  return [...phase, { type: "Reclaim", volume }];
}

/** The volume knows its claim, but not the other way round: the claim's turn. */
function halfBound(volume: Volume, claim: Claim): readonly BinderAction[] {
  if (volumeModesMatch(volume, claim)) return [{ type: "SyncClaim", volume }];
  const reason = "VolumeMismatch";
  const ofVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`;
  const ofClaim = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`;
  return [tell({ volume }, "Warning", reason, ofVolume), tell({ claim }, "Warning", reason, ofClaim)];
}

/**
 * Whether a volume, as it is right now, may be reclaimed: it was bound, and its claim is gone or has another volume.
 *
 * @param claim the claim of the name that the volume refers to
 */
export function isReleased(volume: Volume, claim: Claim | undefined): boolean {
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) return false;
  if (claim?.metadata.uid !== claimRef.uid) return true;
  const { volumeName } = claim?.spec ?? {};
  return Boolean(volumeName) && volumeName !== volume.metadata.name;
}
