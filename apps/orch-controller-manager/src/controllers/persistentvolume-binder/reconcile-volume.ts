import {
  annotationOf,
  type Claim,
  driverOfPlugin,
  hasAnnotation,
  provisionedBy,
  pvControllerFinalizer,
  type Volume,
  volumeModesMatch,
} from "@orchernetes/component-helpers";
import type { Plan } from "@orchernetes/controller";
import { type BinderAction, binderEvent, unbind, volumePhase } from "./actions.ts";
import { migratedVolume } from "./migration.ts";

/** Everything that determines what to do for a volume. */
export interface VolumeState {
  readonly volume: Volume;
  /** The claim that it refers to by name and uid; undefined if it certainly does not exist. */
  readonly claim: Claim | undefined;
  /** Whether the storage of a volume is deleted before its object, whoever deletes that (feature gate HonorPVReclaimPolicy). */
  readonly protects: boolean;
}

/** Decides what to do for a volume. Pure. */
export function reconcileVolume({ volume, claim, protects }: VolumeState): Plan<BinderAction> {
  const migrated = withFinalizer(migratedVolume(volume), protects);
  // The change leads to another decision.
  if (migrated !== volume) return { actions: [{ type: "UpdateVolume", volume: migrated }] };
  // The volume is reserved by name only, and waits for its claim.
  if (!volume.spec.claimRef?.uid) return { actions: volumePhase(volume, "Available") };
  if (claim === undefined) return { actions: release(volume) };
  const { volumeName } = claim.spec;
  if (!volumeName) return { actions: halfBound(volume, claim) };
  if (volumeName === volume.metadata.name) return { actions: volumePhase(volume, "Bound") };
  // The claim is bound to another volume: a volume that was provisioned for it is not needed.
  const surplus = hasAnnotation(volume, provisionedBy) && volume.spec.persistentVolumeReclaimPolicy === "Delete";
  return { actions: surplus ? release(volume) : unbind(volume) };
}

/**
 * The volume with the finalizer if this program created its storage and is to delete it, or else without. The same object
 * if nothing changes; nothing does for one that is being deleted, because that could not be kept.
 */
function withFinalizer(volume: Volume, protects: boolean): Volume {
  const { metadata, spec } = volume;
  const { finalizers = [], deletionTimestamp } = metadata;
  const has = finalizers.includes(pvControllerFinalizer);
  const provisioner = annotationOf(volume, provisionedBy);
  const ours = provisioner?.startsWith("orchernetes.io/") === true && driverOfPlugin(provisioner) === undefined;
  const wants = protects && ours && spec.persistentVolumeReclaimPolicy === "Delete";
  if (has === wants || !ours || deletionTimestamp !== undefined) return volume;
  const others = finalizers.filter((name) => name !== pvControllerFinalizer);
  return {
    ...volume,
    metadata: { ...metadata, finalizers: wants ? [...others, pvControllerFinalizer] : others },
  };
}

/** The claim is gone. Phase Failed is kept while reclaiming is retried. */
function release(volume: Volume): readonly BinderAction[] {
  const isReleased = volume.status?.phase === "Released" || volume.status?.phase === "Failed";
  const phase = isReleased ? [] : volumePhase(volume, "Released");
  if (volume.spec.persistentVolumeReclaimPolicy === "Retain") return phase;
  return [...phase, { type: "Reclaim", volume }];
}

/** The volume refers to the claim, but not vice versa: the claim is synced. */
function halfBound(volume: Volume, claim: Claim): readonly BinderAction[] {
  if (volumeModesMatch(volume, claim)) return [{ type: "SyncClaim", volume }];
  const reason = "VolumeMismatch";
  const ofVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`;
  const ofClaim = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`;
  return [binderEvent({ volume }, "Warning", reason, ofVolume), binderEvent({ claim }, "Warning", reason, ofClaim)];
}

/**
 * Whether a volume may be reclaimed: it was bound, and its claim is gone or bound to another volume.
 *
 * @param claim the claim with the name that the volume refers to
 */
export function isReleased(volume: Volume, claim: Claim | undefined): boolean {
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) return false;
  if (claim?.metadata.uid !== claimRef.uid) return true;
  const { volumeName } = claim?.spec ?? {};
  return Boolean(volumeName) && volumeName !== volume.metadata.name;
}
