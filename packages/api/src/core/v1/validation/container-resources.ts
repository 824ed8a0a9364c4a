import { type FieldError, type FieldPath, field, quantityOf } from "@orchernetes/apimachinery";
import {
  isExtendedResource,
  isHugePageResource,
  isNativeResource,
  isOvercommitAllowed,
  isStandardContainerResource,
  type ResourceList,
  validateQuantity,
  validateResourceName,
} from "../../../shared/resource-lists.ts";
import type { ResourceRequirements } from "../types/container.ts";

/**
 * What a container may ask for: names it knows, amounts that are not negative, requests within limits (equal to them where
 * a resource can't be overcommitted), and huge pages only beside CPU or memory.
 */
export function validateResourceRequirements(
  resources: ResourceRequirements | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { limits, requests } = resources ?? {};
  if (limits === undefined && requests === undefined) {
    return;
  }
  const limitsPath = path.child("limits");
  const requestsPath = path.child("requests");
  for (const name in limits) {
    validateAmount(name, limits[name] ?? "0", limitsPath, errors);
  }
  for (const name in requests) {
    const amount = requests[name] ?? "0";
    validateAmount(name, amount, requestsPath, errors);
    validateAgainstLimit(name, amount, limits, path, errors);
  }
  if (has(limits, requests, isHugePageResource) && !has(limits, requests, isCpuOrMemory)) {
    errors.push(field.forbidden(path, "HugePages require cpu or memory"));
  }
}

/** The name of a resource that a container may ask for. */
export function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  if (isStandardContainerResource(name)) {
    return [];
  }
  const errors = validateResourceName(name, path);
  if (!name.includes("/")) {
    errors.push(field.invalid(path, name, "must be a standard resource for containers"));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(field.invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

const isCpuOrMemory = (name: string): boolean => name === "cpu" || name === "memory";

function validateAmount(name: string, amount: string, path: FieldPath, errors: FieldError[]): void {
  if (isStandardContainerResource(name) && !amount.startsWith("-")) {
    return;
  }
  errors.push(
    ...validateContainerResourceName(name, path.key(name)),
    ...validateQuantity(name, amount, path.key(name)),
  );
}

function validateAgainstLimit(
  name: string,
  amount: string,
  limits: ResourceList | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const limit = limits !== undefined && Object.hasOwn(limits, name) ? limits[name] : undefined;
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      const detail = "Limit must be set for non overcommitable resources";
      errors.push(field.required(path.child("limits"), detail));
    }
    return;
  }
  if (limit === amount) {
    return;
  }
  const order = quantityOf(amount).cmp(quantityOf(limit));
  if (order !== 0 && !isOvercommitAllowed(name)) {
    errors.push(field.invalid(path.child("requests"), amount, `must be equal to ${name} limit of ${limit}`));
  } else if (order > 0) {
    errors.push(
      field.invalid(path.child("requests"), amount, `must be less than or equal to ${name} limit of ${limit}`),
    );
  }
}

function has(
  limits: ResourceList | undefined,
  requests: ResourceList | undefined,
  test: (name: string) => boolean,
): boolean {
  return Object.keys(limits ?? {}).some(test) || Object.keys(requests ?? {}).some(test);
}
