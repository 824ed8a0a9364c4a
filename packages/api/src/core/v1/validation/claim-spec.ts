import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Subdomain,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { report, requireOneOf, requireText } from "../../../shared/report.ts";
import { positiveQuantity, validateQuantity } from "../../../shared/resource-lists.ts";
import type { PersistentVolumeClaimSpec } from "../types/persistent-volume-claim.ts";
import { validateAccessModes } from "./access-modes.ts";

const volumeModes: readonly string[] = ["Block", "Filesystem"];

/** What a claim asks for, in claims and in templates of claims. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: FieldPath, errors: FieldError[]): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) {
    errors.push(field.required(path.child("accessModes"), "at least 1 access mode is required"));
  }
  errors.push(...validateLabelSelector(spec.selector, path.child("selector")));
  validateAccessModes(modes, path.child("accessModes"), errors);
  const storage = spec.resources?.requests?.storage;
  if (storage === undefined) {
    errors.push(field.required(path.child("resources").key("storage")));
  } else {
    const at = path.child("resources").key("storage");
    const positive = positiveQuantity(storage, at);
    errors.push(...(positive.length > 0 ? positive : validateQuantity("storage", storage, at)));
  }
  if (spec.storageClassName) {
    report(errors, isDns1123Subdomain(spec.storageClassName), path, "storageClassName", spec.storageClassName);
  }
  if (spec.volumeMode !== undefined) {
    requireOneOf(errors, spec.volumeMode, volumeModes, path, "volumeMode");
  }
  for (const name of ["dataSource", "dataSourceRef"] as const) {
    const source = spec[name];
    if (source !== undefined) {
      validateDataSource(source, path.child(name), errors);
    }
  }
}

function validateDataSource(
  source: NonNullable<PersistentVolumeClaimSpec["dataSourceRef"]>,
  path: FieldPath,
  errors: FieldError[],
): void {
  requireText(errors, source.name, path, "name");
  requireText(errors, source.kind, path, "kind");
  if (!source.apiGroup && source.kind !== "PersistentVolumeClaim") {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(field.invalid(path, source.kind ?? "", detail));
  }
}
