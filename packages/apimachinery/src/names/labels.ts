import { field, type Path } from "../field-errors/field.ts";
import type { FieldError } from "../field-errors/field-error.ts";
import { isQualifiedName, isValidLabelValue } from "./qualified-name.ts";
import { byteLength } from "./regex-error.ts";

type StringMap = Readonly<Record<string, string>> | undefined;

/** Limit of all keys and values of an object's annotations in bytes. */
export const maxAnnotationBytes = 256 * 1024;

/** Validates a label key. */
export function validateLabelName(name: string, path: Path): readonly FieldError[] {
  return isQualifiedName(name).map((message) => field.invalid(path, name, message));
}

/** Validates labels: keys are qualified names, values are label values. Errors are in key order, at `path` itself. */
export function validateLabels(labels: StringMap, path: Path): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    for (const message of isQualifiedName(key)) errors.push(field.invalid(path, key, message));
    const value = labels[key] ?? "";
    for (const message of isValidLabelValue(value)) errors.push(field.invalid(path, value, message));
  }
  return errors;
}

/**
 * Validates annotations: keys are qualified names in any letter case; keys and values together have at most 256 KiB.
 */
export function validateAnnotations(annotations: StringMap, path: Path): readonly FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in annotations) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(field.invalid(path, key, message));
    size += byteLength(key) + byteLength(annotations[key] ?? "");
  }
  if (size > maxAnnotationBytes) {
    errors.push(field.tooLong(path, "", maxAnnotationBytes));
  }
  return errors;
}
