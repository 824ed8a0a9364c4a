import { type FieldError, type FieldPath, field, isDns1123Label, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { report, requireText } from "../../../shared/report.ts";
import type { Volume } from "../types/volume-sources.ts";
import type { ValidationContext } from "./context.ts";
import { validatePodVolumeSource } from "./pod-volume-sources.ts";

/** What volume validation may know of the pod: its name takes part in the names of its own claims. */
export interface VolumeOwner {
  readonly name?: string | undefined;
}

/**
 * Volumes of a pod: unique names, one source each.
 *
 * @returns the valid volumes by name: what containers may mount
 */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  owner: VolumeOwner | undefined,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): ReadonlyMap<string, Volume> {
  const valid = new Map<string, Volume>();
  if (volumes === undefined) {
    return valid;
  }
  for (const [i, volume] of volumes.entries()) {
    const at = path.index(i);
    const before = errors.length;
    validatePodVolumeSource(volume, at, ctx, errors);
    if (requireText(errors, volume.name, at, "name")) {
      report(errors, isDns1123Label(volume.name), at, "name", volume.name);
    }
    validateClaimName(volume, owner, at, errors);
    if (valid.has(volume.name)) {
      errors.push(field.duplicate(at.child("name"), volume.name));
    }
    if (errors.length === before) {
      valid.set(volume.name, volume);
    }
  }
  return valid;
}

function validateClaimName(
  volume: Volume,
  owner: VolumeOwner | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (volume.ephemeral === undefined || !owner?.name) {
    return;
  }
  const claim = `${owner.name}-${volume.name}`;
  for (const message of isDns1123Subdomain(claim)) {
    errors.push(field.invalid(path.child("name"), volume.name, `PVC name "${claim}": ${message}`));
  }
}
