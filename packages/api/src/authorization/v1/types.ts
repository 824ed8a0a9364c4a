import {
  bool,
  type Infer,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

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

export const SubjectAccessReview = object(pkg, "SubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}

export const SelfSubjectAccessReview = object(pkg, "SelfSubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SelfSubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface SelfSubjectAccessReview extends Infer<typeof SelfSubjectAccessReview> {}

export const SelfSubjectAccessReviewSpec = message(pkg, "SelfSubjectAccessReviewSpec", () => ({
  resourceAttributes: pointer(1, ResourceAttributes),
  nonResourceAttributes: pointer(2, NonResourceAttributes),
}));
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}

export const LocalSubjectAccessReview = object(pkg, "LocalSubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReview> {}

export const SelfSubjectRulesReview = object(pkg, "SelfSubjectRulesReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SelfSubjectRulesReviewSpec),
  status: value(3, SubjectRulesReviewStatus),
}));
export interface SelfSubjectRulesReview extends Infer<typeof SelfSubjectRulesReview> {}

export const SelfSubjectRulesReviewSpec = message(pkg, "SelfSubjectRulesReviewSpec", () => ({
  namespace: optional(1, string),
}));
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

export const SubjectRulesReviewStatus = message(pkg, "SubjectRulesReviewStatus", () => ({
  resourceRules: required(1, list(ResourceRule)),
  nonResourceRules: required(2, list(NonResourceRule)),
  incomplete: required(3, bool),
  evaluationError: optional(4, string),
}));
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

export const ResourceRule = message(pkg, "ResourceRule", () => ({
  verbs: required(1, list(string)),
  apiGroups: optional(2, list(string)),
  resources: optional(3, list(string)),
  resourceNames: optional(4, list(string)),
}));
export interface ResourceRule extends Infer<typeof ResourceRule> {}

export const NonResourceRule = message(pkg, "NonResourceRule", () => ({
  verbs: required(1, list(string)),
  nonResourceURLs: optional(2, list(string)),
}));
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}
