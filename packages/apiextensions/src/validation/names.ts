import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field, isDns1035Label } from "@orchernetes/apimachinery";

/**
 * Checks the names that are set: labels (RFC 1035), kinds ignoring case, and a kind that is not its list's. Names are parts of URLs, and
 * clients derive resource names from kinds.
 */
export function nameErrors(names: apiextensions.CustomResourceDefinitionNames, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const label = (at: FieldPath, value: string | undefined): void => {
    const messages = value ? isDns1035Label(value) : [];
    if (messages.length > 0) errors.push(field.invalid(at, value, messages.join(",")));
  };
  const kind = (at: FieldPath, value: string | undefined): void => {
    const messages = value ? isDns1035Label(value.toLowerCase()) : [];
    if (messages.length === 0) return;
    errors.push(field.invalid(at, value, `may have mixed case, but should otherwise match: ${messages.join(",")}`));
  };
  label(path.child("plural"), names.plural);
  label(path.child("singular"), names.singular);
  kind(path.child("kind"), names.kind);
  kind(path.child("listKind"), names.listKind);
  for (const [i, name] of (names.shortNames ?? []).entries()) {
    const messages = isDns1035Label(name);
    if (messages.length > 0) errors.push(field.invalid(path.child("shortNames").index(i), name, messages.join(",")));
  }
  if (names.kind && names.kind === names.listKind)
    errors.push(field.invalid(path.child("listKind"), names.listKind, "kind and listKind may not be the same"));
  for (const [i, name] of (names.categories ?? []).entries()) {
    const messages = isDns1035Label(name);
    if (messages.length > 0) errors.push(field.invalid(path.child("categories").index(i), name, messages.join(",")));
  }
  return errors;
}
