import {
  bool,
  enumeration,
  type Infer,
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
import { NodeSelector } from "../../../core/v1/types/affinity.ts";

const pkg = "resource/v1alpha2";

export const ResourceClaim = object(pkg, "ResourceClaim", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ResourceClaimSpec),
  status: value(3, ResourceClaimStatus),
}));
export interface ResourceClaim extends Infer<typeof ResourceClaim> {}

export const ResourceClaimSpec = message(pkg, "ResourceClaimSpec", () => ({
  resourceClassName: required(1, string),
  parametersRef: pointer(2, ResourceClaimParametersReference),
  allocationMode: optional(3, enumeration("WaitForFirstConsumer", "Immediate")),
}));
export interface ResourceClaimSpec extends Infer<typeof ResourceClaimSpec> {}

export const ResourceClaimParametersReference = message(pkg, "ResourceClaimParametersReference", () => ({
  apiGroup: optional(1, string),
  kind: required(2, string),
  name: required(3, string),
}));
export interface ResourceClaimParametersReference extends Infer<typeof ResourceClaimParametersReference> {}

export const ResourceClaimStatus = message(pkg, "ResourceClaimStatus", () => ({
  driverName: optional(1, string),
  allocation: pointer(2, AllocationResult),
  reservedFor: optional(3, list(ResourceClaimConsumerReference), { list: "map", keys: ["uid"] }),
  deallocationRequested: optional(4, bool),
}));
export interface ResourceClaimStatus extends Infer<typeof ResourceClaimStatus> {}

export const AllocationResult = message(pkg, "AllocationResult", () => ({
  resourceHandles: optional(1, list(ResourceHandle)),
  availableOnNodes: pointer(2, NodeSelector),
  shareable: optional(3, bool),
}));
export interface AllocationResult extends Infer<typeof AllocationResult> {}

export const ResourceHandle = message(pkg, "ResourceHandle", () => ({
  driverName: optional(1, string),
  data: optional(2, string),
}));
export interface ResourceHandle extends Infer<typeof ResourceHandle> {}

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
