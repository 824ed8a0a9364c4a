import { type FieldError, type FieldPath, field, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { validateNodeSelector } from "../../core/v1/validation/affinity.ts";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { report, requireText, semanticKey } from "../../shared/index.ts";
import { validateSet } from "./lists.ts";
import type {
  AllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimSpec,
  ResourceHandle,
} from "./types/resource-claim.ts";

const allocationModes = ["Immediate", "WaitForFirstConsumer"];
const maxReservedFor = 32;
const maxHandles = 32;
const maxHandleBytes = 16 * 1024;

/** Error list of what a claim asks for. */
export function validateClaimSpec(spec: ResourceClaimSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  report(errors, isDns1123Subdomain(spec.resourceClassName), path, "resourceClassName", spec.resourceClassName);
  if (spec.parametersRef !== undefined) {
    requireText(errors, spec.parametersRef.kind, path.child("parametersRef"), "kind");
    requireText(errors, spec.parametersRef.name, path.child("parametersRef"), "name");
  }
  const mode = spec.allocationMode ?? "";
  if (!allocationModes.includes(mode)) {
    errors.push(field.notSupported(path.child("allocationMode"), mode, allocationModes));
  }
  return errors;
}

function validateConsumer(consumer: ResourceClaimConsumerReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ["resource", "name", "uid"] as const) requireText(errors, consumer[part], path, part);
  return errors;
}

function validateHandle({ driverName = "", data = "" }: ResourceHandle, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (driverName !== "") validateCsiDriverName(driverName, path.child("driverName"), errors);
  if (Buffer.byteLength(data) > maxHandleBytes) errors.push(field.tooLong(path.child("data"), data, maxHandleBytes));
  return errors;
}

function validateAllocation(allocation: AllocationResult | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const handles = allocation?.resourceHandles ?? [];
  const at = path.child("resourceHandles");
  for (const [i, handle] of handles.entries()) errors.push(...validateHandle(handle, at.index(i)));
  if (handles.length > maxHandles) errors.push(field.tooMany(at, handles.length, maxHandles));
  const nodes = allocation?.availableOnNodes;
  if (nodes !== undefined) validateNodeSelector(nodes, path.child("availableOnNodes"), errors);
  return errors;
}

function validateReservations(
  { metadata, status = {} }: ResourceClaim,
  old: ResourceClaim,
  path: FieldPath,
): FieldError[] {
  const reserved = status.reservedFor ?? [];
  if (reserved.length === 0) return [];
  if (status.allocation === undefined)
    return [field.forbidden(path, "may not be specified when `allocated` is not set")];
  const errors: FieldError[] = [];
  if (status.allocation.shareable !== true && reserved.length > 1) {
    errors.push(field.forbidden(path, "may not be reserved more than once"));
  }
  // Users may leave a claim that is to be freed, but no one may come.
  if (metadata.deletionTimestamp || status.deallocationRequested === true) {
    const before = new Set((old.status?.reservedFor ?? []).map(semanticKey));
    if (reserved.some((consumer) => !before.has(semanticKey(consumer)))) {
      const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
      errors.push(field.forbidden(path, detail));
    }
  }
  return errors;
}

/** Error list of a claim's status: who has it, and whether it is being freed. */
export function validateClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  const status = claim.status ?? {};
  const path = field("status");
  const errors: FieldError[] = [];
  if (status.driverName) validateCsiDriverName(status.driverName, path.child("driverName"), errors);
  else if (status.allocation !== undefined) {
    errors.push(field.required(path.child("driverName"), "must be specified when `allocation` is set"));
  }
  const reserved = status.reservedFor ?? [];
  const at = path.child("reservedFor");
  errors.push(...validateAllocation(status.allocation, path.child("allocation")));
  errors.push(...validateSet(reserved, maxReservedFor, at, validateConsumer));
  errors.push(...validateReservations(claim, old, at));
  const [asked, askedBefore] = [status.deallocationRequested === true, old.status?.deallocationRequested === true];
  const request = path.child("deallocationRequested");
  if (!askedBefore && asked && reserved.length > 0) {
    errors.push(field.forbidden(request, "deallocation cannot be requested while `reservedFor` is set"));
  }
  if (status.allocation === undefined && asked) {
    errors.push(field.forbidden(path, "`allocation` must be set when `deallocationRequested` is set"));
  }
  // The driver may be at work already; only together with the allocation does the wish go away.
  if (askedBefore && !asked && status.allocation !== undefined) {
    errors.push(field.forbidden(request, "may not be cleared when `allocation` is set"));
  }
  return errors;
}
