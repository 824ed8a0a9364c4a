import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { localNonReservedPath } from "../../../shared/paths.ts";
import { requireText } from "../../../shared/report.ts";
import type { DownwardAPIVolumeFile, KeyToPath } from "../types/volume-sources.ts";
import { validateObjectFieldSelector, validateResourceFieldSelector, volumeFieldPaths } from "./downward.ts";

/** Validates permission bits of files in volumes. */
export function validateFileMode(mode: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.push(field.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
  }
}

/** Validates the paths of keys in a volume. */
export function validateKeysToPaths(
  items: readonly KeyToPath[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, item] of (items ?? []).entries()) {
    const at = path.index(i);
    requireText(errors, item.key, at, "key");
    if (requireText(errors, item.path, at, "path")) {
      errors.push(...localNonReservedPath(item.path, at.child("path")));
    }
    validateFileMode(item.mode, at.child("mode"), errors);
  }
}

/** Validates files of the downward API. Errors are at the volume source, without an index, as in Kubernetes 1.27. */
export function validateDownwardFiles(
  items: readonly DownwardAPIVolumeFile[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const file of items ?? []) {
    if (requireText(errors, file.path, path, "path")) {
      errors.push(...localNonReservedPath(file.path, path.child("path")));
    }
    if (file.fieldRef !== undefined) {
      validateObjectFieldSelector(file.fieldRef, volumeFieldPaths, path.child("fieldRef"), errors);
      if (file.resourceFieldRef !== undefined) {
        const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
        errors.push(field.invalid(path, "resource", detail));
      }
    } else if (file.resourceFieldRef !== undefined) {
      validateResourceFieldSelector(file.resourceFieldRef, path.child("resourceFieldRef"), true, errors);
    } else {
      errors.push(field.required(path, "one of fieldRef and resourceFieldRef is required"));
    }
    validateFileMode(file.mode, path.child("mode"), errors);
  }
}
