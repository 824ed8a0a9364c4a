import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { localNonReservedPath } from "../../../shared/paths.ts";
import { requireText } from "../../../shared/report.ts";
import type { ProjectedVolumeSource, VolumeProjection } from "../types/volume-sources.ts";
import { validateDownwardFiles, validateFileMode, validateKeysToPaths } from "./key-to-path.ts";

// Same limits as for tokens of the TokenRequest API, which the orchlet uses to fill the volume.
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

/**
 * Validates a projected volume. All sources share one directory, so no two of them may write the same file.
 *
 * @param source - the volume source
 * @param path - path of the volume source. Conflicting files are reported here, not at the source, as upstream does
 * @param errors - gets the errors
 */
export function validateProjectedVolume(source: ProjectedVolumeSource, path: FieldPath, errors: FieldError[]): void {
  validateFileMode(source.defaultMode, path.child("defaultMode"), errors);
  const seen = new Set<string>();
  for (const [i, projection] of (source.sources ?? []).entries()) {
    validateProjection(projection, seen, path, path.child("sources").index(i), errors);
  }
}

function validateProjection(
  projection: VolumeProjection,
  seen: Set<string>,
  volumePath: FieldPath,
  path: FieldPath,
  errors: FieldError[],
): void {
  let sources = 0;
  // Without `items`, a config map or secret projects all its keys. Those are not known here, so only files that are
  // listed can be compared.
  const claim = (file: string, owner: string): void => {
    if (file === "") {
      return;
    }
    if (seen.has(file)) {
      errors.push(field.invalid(volumePath, owner, `conflicting duplicate paths`));
    }
    seen.add(file);
  };
  for (const name of ["secret", "configMap"] as const) {
    const source = projection[name];
    if (source !== undefined) {
      sources++;
      requireText(errors, source.name, path.child(name), "name");
      validateKeysToPaths(source.items, path.child(name, "items"), errors);
      for (const item of source.items ?? []) {
        claim(item.path, source.name ?? "");
      }
    }
  }
  if (projection.downwardAPI !== undefined) {
    sources++;
    validateDownwardFiles(projection.downwardAPI.items, path.child("downwardAPI"), errors);
    for (const file of projection.downwardAPI.items ?? []) {
      claim(file.path, "");
    }
  }
  const token = projection.serviceAccountToken;
  if (token !== undefined) {
    sources++;
    validateTokenLifetime(token.expirationSeconds ?? 3600, path.child("serviceAccountToken"), errors);
    if (requireText(errors, token.path, path.child("serviceAccountToken"), "path")) {
      errors.push(...localNonReservedPath(token.path, path.child("serviceAccountToken", "path")));
    }
    claim(token.path, "");
  }
  if (sources > 1) {
    errors.push(field.forbidden(path, "may not specify more than 1 volume type"));
  }
}

function validateTokenLifetime(seconds: number, path: FieldPath, errors: FieldError[]): void {
  if (seconds < minTokenSeconds) {
    const detail = "may not specify a duration less than 10 minutes";
    errors.push(field.invalid(path.child("expirationSeconds"), seconds, detail));
  } else if (seconds > maxTokenSeconds) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    errors.push(field.invalid(path.child("expirationSeconds"), seconds, detail));
  }
}
