import {
  bool,
  type Draft,
  defineResource,
  enumeration,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  isDns1123Subdomain,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { NodeSelector } from "../../core/v1/types/affinity.ts";
import { validateNodeSelector } from "../../core/v1/validation/affinity.ts";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { immutable, semanticKey } from "../../shared/immutable.ts";
import { validateSet } from "../../shared/repeated.ts";
import { report, requireText } from "../../shared/report.ts";

const pkg = "resource/v1alpha2";

/**
 * A request for a resource of a driver, such as a device, which pods then use together or one after another.
 *
 * Source: KEP-3063. `allocationMode` defaults to `WaitForFirstConsumer`; `spec` is immutable.
 */
export const ResourceClaim = object(pkg, "ResourceClaim", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ResourceClaimSpec),
  status: value(3, ResourceClaimStatus),
}));
export interface ResourceClaim extends Infer<typeof ResourceClaim> {}

/** What a claim asks for. */
export const ResourceClaimSpec = message(pkg, "ResourceClaimSpec", () => ({
  resourceClassName: required(1, string),
  parametersRef: pointer(2, ResourceClaimParametersReference),
  allocationMode: optional(3, enumeration("WaitForFirstConsumer", "Immediate")),
}));
export interface ResourceClaimSpec extends Infer<typeof ResourceClaimSpec> {}

/** Names an object with settings of a claim, in the same namespace. */
export const ResourceClaimParametersReference = message(pkg, "ResourceClaimParametersReference", () => ({
  apiGroup: optional(1, string),
  kind: required(2, string),
  name: required(3, string),
}));
export interface ResourceClaimParametersReference extends Infer<typeof ResourceClaimParametersReference> {}

/** What was granted to a claim, and to whom. */
export const ResourceClaimStatus = message(pkg, "ResourceClaimStatus", () => ({
  driverName: optional(1, string),
  allocation: pointer(2, AllocationResult),
  reservedFor: optional(3, list(ResourceClaimConsumerReference), { list: "map", keys: ["uid"] }),
  deallocationRequested: optional(4, bool),
}));
export interface ResourceClaimStatus extends Infer<typeof ResourceClaimStatus> {}

/** What was granted to a claim. */
export const AllocationResult = message(pkg, "AllocationResult", () => ({
  resourceHandles: optional(1, list(ResourceHandle)),
  availableOnNodes: pointer(2, NodeSelector),
  shareable: optional(3, bool),
}));
export interface AllocationResult extends Infer<typeof AllocationResult> {}

/** What a driver on the node needs to prepare a resource. */
export const ResourceHandle = message(pkg, "ResourceHandle", () => ({
  driverName: optional(1, string),
  data: optional(2, string),
}));
export interface ResourceHandle extends Infer<typeof ResourceHandle> {}

/** Somebody who may use a claim, in the same namespace. */
export const ResourceClaimConsumerReference = message(pkg, "ResourceClaimConsumerReference", () => ({
  apiGroup: optional(1, string),
  resource: required(3, string),
  name: required(4, string),
  uid: required(5, string),
}));
export interface ResourceClaimConsumerReference extends Infer<typeof ResourceClaimConsumerReference> {}

export const ResourceClaimList = object(pkg, "ResourceClaimList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ResourceClaim)),
}));
export interface ResourceClaimList extends Infer<typeof ResourceClaimList> {}

const allocationModes = ["Immediate", "WaitForFirstConsumer"];
const maxReservedFor = 32;
const maxHandles = 32;
const maxHandleBytes = 16 * 1024;

/** Validates the spec of a claim. */
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

/** Validates the users of a claim: only an allocated claim has users, in limited number, each once. */
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
  // A claim that is to be deallocated may lose users, but not get new ones.
  if (metadata.deletionTimestamp || status.deallocationRequested === true) {
    const before = new Set((old.status?.reservedFor ?? []).map(semanticKey));
    if (reserved.some((consumer) => !before.has(semanticKey(consumer)))) {
      const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
      errors.push(field.forbidden(path, detail));
    }
  }
  return errors;
}

/** Validates the status of a claim: its allocation, its users, and whether it is being deallocated. */
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
  // The driver may be deallocating already, so the request can only be cleared together with the allocation.
  if (askedBefore && !asked && status.allocation !== undefined) {
    errors.push(field.forbidden(request, "may not be cleared when `allocation` is set"));
  }
  return errors;
}

/** Sets the defaults of a claim: it is allocated for its first user. */
export function defaultClaimSpec(spec: Draft<ResourceClaimSpec>): void {
  spec.allocationMode ||= "WaitForFirstConsumer";
}

function stateOf({ metadata, status = {} }: ResourceClaim): string {
  const leaving = Boolean(metadata.deletionTimestamp);
  const states = leaving ? ["deleted"] : [];
  if (status.allocation === undefined) {
    if (!leaving) states.push("pending");
  } else {
    states.push("allocated");
    if ((status.reservedFor ?? []).length > 0) states.push("reserved");
    else if (leaving || status.deallocationRequested === true) states.push("deallocating");
  }
  return states.join(",");
}

/** `resource.o8s.io/v1alpha2` claims: request a resource of a class, for one or several pods. */
export const resourceClaims = defineResource<ResourceClaim>({
  group: "resource.o8s.io",
  version: "v1alpha2",
  kind: "ResourceClaim",
  plural: "resourceclaims",
  singular: "resourceclaim",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ResourceClaim,
  storagePrefix: "/registry/resourceclaims",
  applyDefaults: ({ spec }) => defaultClaimSpec(spec),
  strategy: {
    prepareForCreate: (claim) => {
      claim.status = {};
    },
    validate: ({ spec }) => validateClaimSpec(spec, field("spec")),
    prepareForUpdate: (claim, old) => keep(claim, old, "status"),
    validateUpdate: ({ spec }, old) => [
      ...immutable(spec, old.spec, field("spec")),
      ...validateClaimSpec(spec, field("spec")),
    ],
  },
  columns: [
    name(),
    column("ResourceClassName", "string", "Requested class.", ({ spec }) => spec.resourceClassName),
    column("AllocationMode", "string", "When it is allocated.", ({ spec }) => spec.allocationMode ?? ""),
    column("State", "string", "State of the claim.", stateOf),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (claim, old) => {
          keep(claim, old, "spec");
          keepMetadata(claim, old);
        },
        validateUpdate: validateClaimStatus,
      },
    },
  },
});
