import { quantityOf } from "@orchernetes/apimachinery";
import {
  annotated,
  bindCompleted,
  boundByController,
  type Claim,
  hasAnnotation,
  reserveVolume,
  type StorageClass,
  type Volume,
} from "@orchernetes/component-helpers";

/**
 * An action of the binder. If a plan contains several writes of an object, each one includes the changes of those
 * before it, except for the resource version.
 */
export type BinderAction =
  | { readonly type: "UpdateVolume" | "UpdateVolumeStatus"; readonly volume: Volume }
  | { readonly type: "UpdateClaim" | "UpdateClaimStatus"; readonly claim: Claim }
  | BinderEvent
  /** Creates a volume with a plugin of this program. */
  | { readonly type: "Provision"; readonly claim: Claim; readonly storageClass: StorageClass }
  /** Applies the reclaim policy to a volume whose claim is gone. */
  | { readonly type: "Reclaim"; readonly volume: Volume }
  /** Enqueues the volume's claim. */
  | { readonly type: "SyncClaim"; readonly volume: Volume };

/** An event about a claim or volume. */
export type BinderEvent = { readonly type: "Event"; readonly of: "Normal" | "Warning" } & EventText & Subject;
type Subject = { readonly claim: Claim } | { readonly volume: Volume };

/** Reason and message of an event. */
export interface EventText {
  readonly reason: string;
  readonly message: string;
}

/** Builds an event about a claim or volume. */
export function binderEvent(subject: Subject, of: "Normal" | "Warning", reason: string, message: string): BinderEvent {
  return { type: "Event", of, reason, message, ...subject };
}

type VolumePhase = "Available" | "Bound" | "Released" | "Failed";

/** Sets the phase of a volume, with an event if there is a warning; nothing if it has the phase already. */
export function volumePhase(volume: Volume, phase: VolumePhase, warning?: EventText): readonly BinderAction[] {
  if (volume.status?.phase === phase) return [];
  const { message: _, ...status } = volume.status ?? {};
  const message = warning === undefined ? {} : { message: warning.message };
  const next: Volume = { ...volume, status: { ...status, phase, ...message } };
  const update = { type: "UpdateVolumeStatus", volume: next } as const;
  return warning === undefined
    ? [update]
    : [update, binderEvent({ volume }, "Warning", warning.reason, warning.message)];
}

/** Sets the phase of a claim without a volume; nothing if its status has it already. */
export function claimUnbound(claim: Claim, phase: "Pending" | "Lost", warning?: EventText): readonly BinderAction[] {
  const { accessModes, capacity, ...status } = claim.status ?? {};
  const isRecorded = status.phase === phase;
  // A lost claim keeps its capacity and access modes once its phase is recorded.
  if (isRecorded && (warning !== undefined || (accessModes === undefined && capacity === undefined))) return [];
  const update = { type: "UpdateClaimStatus", claim: { ...claim, status: { ...status, phase } } } as const;
  return warning === undefined
    ? [update]
    : [update, binderEvent({ claim }, "Warning", warning.reason, warning.message)];
}

/**
 * Binds volume and claim to each other. The volume is written first, because it decides which claim has it. Completed
 * steps are omitted.
 */
export function bind(volume: Volume, claim: Claim): readonly BinderAction[] {
  const actions: BinderAction[] = [];
  const reserved = reserveVolume(volume, claim);
  if (reserved !== volume) actions.push({ type: "UpdateVolume", volume: reserved });
  actions.push(...volumePhase(reserved, "Bound"));
  const tied = tie(claim, volume);
  if (tied !== claim) actions.push({ type: "UpdateClaim", claim: tied });
  const status = boundStatus(tied, volume);
  if (status !== tied.status) actions.push({ type: "UpdateClaimStatus", claim: { ...tied, status } });
  return actions;
}

/** Sets the claim's volume, and marks the binding as completed. */
function tie(claim: Claim, { metadata: { name } }: Volume): Claim {
  const completed = hasAnnotation(claim, bindCompleted);
  if (claim.spec.volumeName === name) return completed ? claim : annotated(claim, { [bindCompleted]: "yes" });
  const named = { ...claim, spec: { ...claim.spec, volumeName: name } };
  return annotated(named, { [bindCompleted]: "yes", [boundByController]: "yes" });
}

/** The status of a bound claim; the current object if nothing changes. */
function boundStatus(claim: Claim, { spec }: Volume): Claim["status"] {
  const { status = {} } = claim;
  const { accessModes = [], capacity = {} } = spec;
  const sameModes =
    accessModes.length === (status.accessModes?.length ?? 0) &&
    accessModes.every((mode, i) => mode === status.accessModes?.[i]);
  const becomesBound = status.phase !== "Bound";
  if (sameModes && !becomesBound) return claim.status;
  // The capacity of a bound claim is not changed: its file system may be smaller than the volume.
  const known = status.capacity?.storage;
  const isKnown = known !== undefined && quantityOf(known).cmp(quantityOf(capacity.storage ?? "0")) === 0;
  const size = becomesBound && !isKnown ? { capacity } : {};
  return { ...status, phase: "Bound", accessModes, ...size };
}

/**
 * Releases a volume from its claim. A volume that a user has reserved for the claim's name stays reserved for that
 * name.
 */
export function unbind(volume: Volume): readonly BinderAction[] {
  const freed = free(volume);
  return [{ type: "UpdateVolume", volume: freed }, ...volumePhase(freed, "Available")];
}

/** The volume without its claim, or without the claim's uid if a user had reserved it. */
function free(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec;
  if (!hasAnnotation(volume, boundByController)) {
    const { uid: _, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  const { annotations: { [boundByController]: _, ...annotations } = {}, ...metadata } = volume.metadata;
  return { ...volume, metadata: { ...metadata, annotations }, spec };
}
