import {
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "resource/v1alpha2";

export const PodSchedulingContext = object(pkg, "PodSchedulingContext", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, PodSchedulingContextSpec),
  status: value(3, PodSchedulingContextStatus),
}));
export interface PodSchedulingContext extends Infer<typeof PodSchedulingContext> {}

export const PodSchedulingContextSpec = message(pkg, "PodSchedulingContextSpec", () => ({
  selectedNode: optional(1, string),
  potentialNodes: optional(2, list(string), { list: "set" }),
}));
export interface PodSchedulingContextSpec extends Infer<typeof PodSchedulingContextSpec> {}

export const PodSchedulingContextStatus = message(pkg, "PodSchedulingContextStatus", () => ({
  resourceClaims: optional(1, list(ResourceClaimSchedulingStatus), { list: "map", keys: ["name"] }),
}));
export interface PodSchedulingContextStatus extends Infer<typeof PodSchedulingContextStatus> {}

export const ResourceClaimSchedulingStatus = message(pkg, "ResourceClaimSchedulingStatus", () => ({
  name: optional(1, string),
  unsuitableNodes: optional(2, list(string), { list: "set" }),
}));
export interface ResourceClaimSchedulingStatus extends Infer<typeof ResourceClaimSchedulingStatus> {}

export const PodSchedulingContextList = object(pkg, "PodSchedulingContextList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(PodSchedulingContext)),
}));
export interface PodSchedulingContextList extends Infer<typeof PodSchedulingContextList> {}
