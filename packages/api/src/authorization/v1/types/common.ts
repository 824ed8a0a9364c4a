import { bool, type Infer, list, mapOf, message, optional, pointer, required, string } from "@orchernetes/apimachinery";

const pkg = "authorization/v1";

export const ResourceAttributes = message(pkg, "ResourceAttributes", () => ({
  namespace: optional(1, string),
  verb: optional(2, string),
  group: optional(3, string),
  version: optional(4, string),
  resource: optional(5, string),
  subresource: optional(6, string),
  name: optional(7, string),
}));
export interface ResourceAttributes extends Infer<typeof ResourceAttributes> {}

export const NonResourceAttributes = message(pkg, "NonResourceAttributes", () => ({
  path: optional(1, string),
  verb: optional(2, string),
}));
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

export const SubjectAccessReviewSpec = message(pkg, "SubjectAccessReviewSpec", () => ({
  resourceAttributes: pointer(1, ResourceAttributes),
  nonResourceAttributes: pointer(2, NonResourceAttributes),
  user: optional(3, string),
  groups: optional(4, list(string)),
  extra: optional(5, mapOf(list(string))),
  uid: optional(6, string),
}));
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

export const SubjectAccessReviewStatus = message(pkg, "SubjectAccessReviewStatus", () => ({
  allowed: required(1, bool),
  denied: optional(4, bool),
  reason: optional(2, string),
  evaluationError: optional(3, string),
}));
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}
