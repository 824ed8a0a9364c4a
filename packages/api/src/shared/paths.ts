import { type FieldError, field, type Path } from "@orchernetes/apimachinery";

/** Refuses `..` as a segment of a path. */
export function noBacksteps(target: string, path: Path): FieldError[] {
  return target.split("/").includes("..") ? [field.invalid(path, target, "must not contain '..'")] : [];
}

/** A path below some folder: relative, without `..` segments. */
export function localDescendingPath(target: string, path: Path): FieldError[] {
  const errors: FieldError[] = target.startsWith("/") ? [field.invalid(path, target, "must be a relative path")] : [];
  errors.push(...noBacksteps(target, path));
  return errors;
}

/** A descending path whose first characters are not `..`, which volumes keep for themselves. */
export function localNonReservedPath(target: string, path: Path): FieldError[] {
  const errors = localDescendingPath(target, path);
  if (target.startsWith("..") && !target.startsWith("../")) {
    errors.push(field.invalid(path, target, "must not start with '..'"));
  }
  return errors;
}
