import { type FieldError, field, type Path } from "@orchernetes/apimachinery";

/** Validates that a path has no segment `..`. */
export function noBacksteps(target: string, path: Path): FieldError[] {
  return target.split("/").includes("..") ? [field.invalid(path, target, "must not contain '..'")] : [];
}

/** Validates that a path stays below its folder: relative, without `..` segments. */
export function localDescendingPath(target: string, path: Path): FieldError[] {
  const errors: FieldError[] = target.startsWith("/") ? [field.invalid(path, target, "must be a relative path")] : [];
  errors.push(...noBacksteps(target, path));
  return errors;
}

/**
 * Like {@link localDescendingPath}, for files in volumes: names that begin with `..` are reserved for the links by
 * which the node agent replaces a volume's content atomically.
 */
export function localNonReservedPath(target: string, path: Path): FieldError[] {
  const errors = localDescendingPath(target, path);
  if (target.startsWith("..") && !target.startsWith("../")) {
    errors.push(field.invalid(path, target, "must not start with '..'"));
  }
  return errors;
}
