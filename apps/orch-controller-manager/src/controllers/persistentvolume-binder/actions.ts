import { quantityOf } from "@orchernetes/apimachinery";
import {
  annotated,
  bindCompleted,
  boundByController,
  type Claim,
  hasAnnotation,
  isBoundTo,
  type StorageClass,
  type Volume,
} from "./binding/volumes-and-claims.ts";

/**
 * What the binder does. Several writes of one object in a plan build on each other: each holds what came of the one before,
 * save for the resource version.
 */
export type BinderAction =
  | { readonly type: "UpdateVolume" | "UpdateVolumeStatus"; readonly volume: Volume }
  | { readonly type: "UpdateClaim" | "UpdateClaimStatus"; readonly claim: Claim }
  | BinderEvent
  /** Have the volume made by a plugin of this program. */
  | { readonly type: "Provision"; readonly claim: Claim; readonly storageClass: StorageClass }
  /** The volume's claim is gone: do as its reclaim policy says. */
  | { readonly type: "Reclaim"; readonly volume: Volume }
  /** Look at the volume's claim next. */
  | { readonly type: "SyncClaim"; readonly volume: Volume };

export type BinderEvent = { readonly type: "Event"; readonly of: "Normal" | "Warning" } & Telling & Subject;
type Subject = { readonly claim: Claim } | { readonly volume: Volume };

/** What an event says. */
export interface Telling {
  readonly reason: string;
  readonly message: string;
}

export function tell(subject: Subject, of: "Normal" | "Warning", reason: string, message: string): BinderEvent {
  return { type: "Event", of, reason, message, ...subject };
}

type VolumePhase = "Available" | "Bound" | "Released" | "Failed";

/** Puts a volume into a phase; nothing when it is in it. */
export function volumePhase(volume: Volume, phase: VolumePhase, warning?: Telling): readonly BinderAction[] {
  if (volume.status?.phase === phase) return [];
  const { message: _, ...status } = volume.status ?? {};
  const message = warning === undefined ? {} : { message: warning.message };
  const next: Volume = { ...volume, status: { ...status, phase, ...message } };
  const update = { type: "UpdateVolumeStatus", volume: next } as const;
  return warning === undefined ? [update] : [update, tell({ volume }, "Warning", warning.reason, warning.message)];
}

/** The claim has no volume: pending, or with a warning lost. Nothing when its status says so. */
export function claimUnbound(claim: Claim, phase: "Pending" | "Lost", warning?: Telling): readonly BinderAction[] {
  const { accessModes, capacity, ...status } = claim.status ?? {};
  const isTold = status.phase === phase;
  // A lost claim keeps what it was, once it is told.
  if (isTold && (warning !== undefined || (accessModes === undefined && capacity === undefined))) return [];
  const update = { type: "UpdateClaimStatus", claim: { ...claim, status: { ...status, phase } } } as const;
  return warning === undefined ? [update] : [update, tell({ claim }, "Warning", warning.reason, warning.message)];
}

/** Ties volume and claim to each other, the volume first: it decides who has whom. Does what is left to do. */
export function bind(volume: Volume, claim: Claim): readonly BinderAction[] {
  const actions: BinderAction[] = [];
  const reserved = reserve(volume, claim);
  if (reserved !== volume) actions.push({ type: "UpdateVolume", volume: reserved });
  actions.push(...volumePhase(reserved, "Bound"));
  const tied = tie(claim, volume);
  if (tied !== claim) actions.push({ type: "UpdateClaim", claim: tied });
  const status = boundStatus(tied, volume);
  if (status !== tied.status) actions.push({ type: "UpdateClaimStatus", claim: { ...tied, status } });
  return actions;
}

function reserve(volume: Volume, claim: Claim): Volume {
  const { namespace = "", name, uid, resourceVersion } = claim.metadata;
  const ours = !isBoundTo(volume, claim);
  if (!ours && volume.spec.claimRef?.uid === uid) return volume;
  const kind = "PersistentVolumeClaim";
  const claimRef = { kind, namespace, name, uid, apiVersion: "v1", resourceVersion };
  const reserved = { ...volume, spec: { ...volume.spec, claimRef } };
  return ours ? annotated(reserved, { [boundByController]: "yes" }) : reserved;
}

function tie(claim: Claim, { metadata: { name } }: Volume): Claim {
  const completed = hasAnnotation(claim, bindCompleted);
  if (claim.spec.volumeName === name) return completed ? claim : annotated(claim, { [bindCompleted]: "yes" });
  const named = { ...claim, spec: { ...claim.spec, volumeName: name } };
  return annotated(named, { [bindCompleted]: "yes", [boundByController]: "yes" });
}

function boundStatus(claim: Claim, { spec }: Volume): Claim["status"] {
  const { status = {} } = claim;
  const { accessModes = [], capacity = {} } = spec;
  const sameModes =
    accessModes.length === (status.accessModes?.length ?? 0) &&
    accessModes.every((mode, i) => mode === status.accessModes?.[i]);
  const becomesBound = status.phase !== "Bound";
  if (sameModes && !becomesBound) return claim.status;
  // Once bound, the file system may rightly be smaller than its device.
  const known = status.capacity?.storage;
  const isKnown = known !== undefined && quantityOf(known).cmp(quantityOf(capacity.storage ?? "0")) === 0;
  const size = becomesBound && !isKnown ? { capacity } : {};
  return { ...status, phase: "Bound", accessModes, ...size };
}

/** Lets a volume go from its claim: back to everybody, or to the claim's name alone where somebody reserved it for that. */
export function unbind(volume: Volume): readonly BinderAction[] {
  const freed = free(volume);
  return [{ type: "UpdateVolume", volume: freed }, ...volumePhase(freed, "Available")];
}

function free(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec;
  if (!hasAnnotation(volume, boundByController)) {
    const { uid: _, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  const { annotations: { [boundByController]: _, ...annotations } = {}, ...metadata } = volume.metadata;
  return { ...volume, metadata: { ...metadata, annotations }, spec };
}
