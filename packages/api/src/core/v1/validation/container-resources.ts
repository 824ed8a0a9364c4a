import { type FieldError, type FieldPath, field, quantityOf } from "@orchernetes/apimachinery";
import { type ResourceList, validateQuantity, validateResourceName } from "../../../shared/resource-lists.ts";
import {
  isExtendedResource,
  isHugePageResource,
  isNativeResource,
  isOvercommitAllowed,
  isStandardContainerResource,
} from "../../../shared/resource-names.ts";
import type { ResourceRequirements } from "../types/container.ts";
import type { PodSpec } from "../types/pod.ts";
import type { ValidationContext } from "./context.ts";
import { validateContainerClaims } from "./resource-claims.ts";

/**
 * Validates the resources of a container: known names, quantities that are not negative, requests within limits (equal
 * to them for resources that cannot be overcommitted), and huge pages only in whole pages and together with CPU or
 * memory.
 *
 * @param claims names of the pod's resource claims
 */
export function validateResourceRequirements(
  resources: ResourceRequirements | undefined,
  claims: ReadonlySet<string>,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const { limits, requests } = resources ?? {};
  if (resources?.claims !== undefined) {
    validateContainerClaims(resources.claims, claims, path.child("claims"), errors);
  }
  if (limits === undefined && requests === undefined) {
    return;
  }
  const limitsPath = path.child("limits");
  const requestsPath = path.child("requests");
  for (const name in limits) {
    validateAmount(name, limits[name] ?? "0", limitsPath, ctx, errors);
  }
  for (const name in requests) {
    const amount = requests[name] ?? "0";
    validateAmount(name, amount, requestsPath, ctx, errors);
    validateAgainstLimit(name, amount, limits, path, errors);
  }
  if (has(limits, requests, isHugePageResource) && !has(limits, requests, isCpuOrMemory)) {
    errors.push(field.forbidden(path, "HugePages require cpu or memory"));
  }
}

/** Validates the name of a resource that a container requests. */
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

/**
 * Validates one quantity. CPU, memory and ephemeral storage, in most pods the only ones, take the short path. Fractions
 * of huge pages stay valid in pods that have them: they were accepted before.
 */
function validateAmount(
  name: string,
  amount: string,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const hugePages = isHugePageResource(name);
  if (isStandardContainerResource(name) && !hugePages && !amount.startsWith("-")) {
    return;
  }
  errors.push(
    ...validateContainerResourceName(name, path.key(name)),
    ...validateQuantity(name, amount, path.key(name)),
  );
  if (hugePages && !isWholePages(name, amount) && !usesBrokenPages(ctx.oldPodSpec)) {
    errors.push(field.invalid(path.key(name), amount, `${amount} is not positive integer multiple of ${name}`));
  }
}

/** Whether the amount is a multiple of the page size that the resource name contains. */
function isWholePages(name: string, amount: string): boolean {
  let nanos: bigint;
  try {
    nanos = quantityOf(name.slice("hugepages-".length)).nanos;
  } catch {
    return false;
  }
  return nanos > 0n && nanos % 1_000_000_000n === 0n && quantityOf(amount).nanos % nanos === 0n;
}

/** Whether a container of the pod has an amount of huge pages that is not in whole pages. */
function usesBrokenPages(spec: PodSpec | undefined): boolean {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ resources }) =>
    [resources?.limits, resources?.requests].some((list) =>
      Object.entries(list ?? {}).some(([name, amount]) => isHugePageResource(name) && !isWholePages(name, amount)),
    ),
  );
}

/** Validates a request against its limit. */
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
