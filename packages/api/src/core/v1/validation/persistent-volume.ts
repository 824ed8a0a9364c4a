import { type FieldError, field, goStruct, isDns1123Subdomain, literal, quantityOf } from "@orchernetes/apimachinery";
import { differences } from "../../../shared/differences.ts";
import { immutable, semanticEqual } from "../../../shared/immutable.ts";
import { report, requireOneOf } from "../../../shared/report.ts";
import { positiveQuantity } from "../../../shared/resource-lists.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../types/persistent-volume.ts";
import type { PersistentVolumeSource } from "../types/persistent-volume-sources.ts";
import { validateAccessModes } from "./access-modes.ts";
import { validateNodeSelector } from "./affinity.ts";
import type { ValidationContext } from "./context.ts";
import { validatePersistentSource, volumeSourceKinds } from "./persistent-volume-sources.ts";

const path = field("spec");
const reclaimPolicies: readonly string[] = ["Delete", "Recycle", "Retain"];
const volumeModes: readonly string[] = ["Block", "Filesystem"];

/**
 * Validates a persistent volume.
 *
 * @param volume - only its spec is validated
 * @param ctx - says which feature gates are enabled
 * @param old - the stored volume of an update. Access modes that it already has are accepted when their feature gate is
 *   disabled
 */
export function validatePersistentVolume(
  { spec }: PersistentVolume,
  ctx: ValidationContext,
  old?: PersistentVolume,
): FieldError[] {
  const errors: FieldError[] = [];
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) {
    errors.push(field.required(path.child("accessModes")));
  }
  validateAccessModes(modes, old?.spec.accessModes, path.child("accessModes"), ctx, errors);
  validateCapacity(spec, errors);
  const policy: string = spec.persistentVolumeReclaimPolicy ?? "";
  if (policy !== "") {
    requireOneOf(errors, policy, reclaimPolicies, path, "persistentVolumeReclaimPolicy");
  }
  if (spec.nodeAffinity !== undefined) {
    const at = path.child("nodeAffinity", "required");
    if (spec.nodeAffinity.required === undefined) {
      errors.push(field.required(at, "must specify required node constraints"));
    } else {
      validateNodeSelector(spec.nodeAffinity.required, at, errors);
    }
  }
  // A local volume exists on one node only, which the scheduler learns from the node affinity.
  if (spec.local !== undefined && spec.nodeAffinity === undefined) {
    errors.push(field.required(path.child("nodeAffinity"), "Local volume requires node affinity"));
  }
  validatePersistentSource(spec, path, errors);
  // Recycling deletes the files of the volume, here those of the whole node.
  if (spec.hostPath?.path === "/" && policy === "Recycle") {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    errors.push(field.forbidden(path.child("persistentVolumeReclaimPolicy"), detail));
  }
  if (spec.storageClassName) {
    report(errors, isDns1123Subdomain(spec.storageClassName), path, "storageClassName", spec.storageClassName);
  }
  if (spec.volumeMode !== undefined) {
    requireOneOf(errors, spec.volumeMode, volumeModes, path, "volumeMode");
  }
  return errors;
}

/** Validates the capacity: exactly one quantity, the size. */
function validateCapacity({ capacity = {} }: PersistentVolumeSpec, errors: FieldError[]): void {
  const at = path.child("capacity");
  const names = Object.keys(capacity);
  if (names.length === 0) {
    errors.push(field.required(at));
  }
  if (capacity.storage === undefined || names.length > 1) {
    const shown = names.length === 0 ? literal("core.ResourceList(nil)") : goStruct("core.ResourceList", capacity);
    errors.push(field.notSupported(at, shown, ["storage"]));
  }
  for (const [name, amount] of Object.entries(capacity)) {
    const value = quantityOf(amount).value();
    if (value < 0) {
      errors.push(field.invalid(at.key(name), value, "must be a valid resource quantity"));
    }
    errors.push(...positiveQuantity(amount, at.key(name)));
  }
}

/** Returns only the sources of a spec, to compare and print them without its other fields. */
function sourceOf(spec: PersistentVolumeSpec): Partial<PersistentVolumeSource> {
  return Object.fromEntries(
    volumeSourceKinds.filter((kind) => spec[kind] !== undefined).map((kind) => [kind, spec[kind]]),
  );
}

/**
 * The source without the secrets that an update may add to a CSI volume: those for expansion, which older volumes lack.
 */
function withoutNewSecrets(source: Partial<PersistentVolumeSource>, old: Partial<PersistentVolumeSource>) {
  if (source.csi === undefined || old.csi === undefined) {
    return source;
  }
  const csi = { ...source.csi };
  if (old.csi.controllerExpandSecretRef === undefined) {
    delete csi.controllerExpandSecretRef;
  }
  if (old.csi.nodeExpandSecretRef === undefined) {
    delete csi.nodeExpandSecretRef;
  }
  return { ...source, csi };
}

/**
 * Validates an update of a persistent volume. The source and the volume mode are immutable, because pods may be using
 * the volume. Node affinity can be set later, but not changed.
 */
export function validatePersistentVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
  ctx: ValidationContext,
): FieldError[] {
  const errors = validatePersistentVolume(volume, ctx, old);
  const before = sourceOf(old.spec);
  const after = withoutNewSecrets(sourceOf(volume.spec), before);
  if (!semanticEqual(before, after)) {
    const detail = `spec.persistentvolumesource is immutable after creation\n${differences(before, after)}`;
    errors.push(field.forbidden("spec.persistentvolumesource", detail));
  }
  errors.push(...immutable(volume.spec.volumeMode, old.spec.volumeMode, "volumeMode"));
  if (old.spec.nodeAffinity !== undefined) {
    errors.push(...immutable(volume.spec.nodeAffinity, old.spec.nodeAffinity, "nodeAffinity"));
  }
  return errors;
}
