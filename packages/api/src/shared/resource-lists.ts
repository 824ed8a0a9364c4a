import { type FieldError, type FieldPath, field, isQualifiedName, quantityOf } from "@orchernetes/apimachinery";
import { isIntegerResource, isStandardResource } from "./resource-names.ts";

/** Quantities by resource name, as in `limits` and `requests`. */
export type ResourceList = Readonly<Record<string, string>>;

/**
 * Validates a quantity: not negative, and an integer for resources that are counted.
 *
 * @param value the quantity in canonical form, as decoding leaves it
 */
export function validateQuantity(resource: string, value: string, path: FieldPath): FieldError[] {
  const errors = nonNegativeQuantity(value, path);
  if (isIntegerResource(resource) && quantityOf(value).nanos % 1_000_000_000n !== 0n) {
    errors.push(field.invalid(path, value, "must be an integer"));
  }
  return errors;
}

/** Validates that a quantity is not negative. In canonical form the sign decides, without parsing. */
export function nonNegativeQuantity(value: string, path: FieldPath): FieldError[] {
  return value.startsWith("-") ? [field.invalid(path, value, "must be greater than or equal to 0")] : [];
}

/** Validates that a quantity is greater than zero. */
export function positiveQuantity(value: string, path: FieldPath): FieldError[] {
  return quantityOf(value).sign <= 0 ? [field.invalid(path, value, "must be greater than zero")] : [];
}

/** Validates a resource name: qualified, and a standard one if it has no domain. */
export function validateResourceName(name: string, path: FieldPath): FieldError[] {
  const messages = isQualifiedName(name);
  if (messages.length > 0) {
    return messages.map((message) => field.invalid(path, name, message));
  }
  return name.includes("/") || isStandardResource(name)
    ? []
    : [field.invalid(path, name, "must be a standard resource type or fully qualified")];
}

/** Validates names and quantities; each error is at `path[name]`. */
export function validateResourceList(list: ResourceList | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name in list) {
    const at = path.key(name);
    errors.push(...validateResourceName(name, at), ...validateQuantity(name, list[name] ?? "0", at));
  }
  return errors;
}
