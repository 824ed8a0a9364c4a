import {
  type FieldError,
  type FieldPath,
  field,
  isDns1035Label,
  type ObjectMeta,
  validateObjectMeta,
} from "@orchernetes/apimachinery";
import { isPlain, type Plain, type Structural } from "../schema/structural.ts";
import { walkStructural } from "../schema/walk-structural.ts";

/**
 * What is wrong with the kinds, versions and metadata of objects that lie in another (`x-orchernetes-embedded-resource`). Controllers create
 * such objects as they are, so that errors are better found here.
 */
export function embeddedErrors(
  value: unknown,
  structural: Structural | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  walkStructural(value, structural, path, {
    concerns: ({ embeds }) => embeds,
    visit: (found, { embedded }, where) => {
      if (embedded && isPlain(found)) checkObject(found, where, errors);
    },
  });
  return errors;
}

function checkObject(value: Plain, path: FieldPath, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = value;
  if (apiVersion === undefined) errors.push(field.required(path.child("apiVersion"), "must not be empty"));
  else if (typeof apiVersion !== "string" || apiVersion === "" || apiVersion.split("/").length > 2)
    errors.push(field.invalid(path.child("apiVersion"), apiVersion, "must be a group and version such as apps/v1"));
  if (kind === undefined) errors.push(field.required(path.child("kind"), "must not be empty"));
  else {
    const messages = typeof kind === "string" ? isDns1035Label(kind.toLowerCase()) : ["must be a string"];
    if (messages.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${messages.join(",")}`;
      errors.push(field.invalid(path.child("kind"), kind, detail));
    }
  }
  if (!isPlain(metadata)) return;
  const meta = metadata as unknown as ObjectMeta;
  const rules = { namespaced: meta.namespace !== undefined, path: path.child("metadata"), standardFinalizers: false };
  const found = validateObjectMeta(meta, { ...rules, nameFormat: "path" });
  // Templates of objects have no name.
  errors.push(...found.filter(({ type }) => type !== "FieldValueRequired"));
}
