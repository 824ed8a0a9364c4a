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

/** A request for a resource. */
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

/** A request for a path that belongs to no resource. */
export const NonResourceAttributes = message(pkg, "NonResourceAttributes", () => ({
  path: optional(1, string),
  verb: optional(2, string),
}));
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

/** Who wants to do what. At least one of user and groups is set. */
export const SubjectAccessReviewSpec = message(pkg, "SubjectAccessReviewSpec", () => ({
  resourceAttributes: pointer(1, ResourceAttributes),
  nonResourceAttributes: pointer(2, NonResourceAttributes),
  user: optional(3, string),
  groups: optional(4, list(string)),
  extra: optional(5, mapOf(list(string))),
  uid: optional(6, string),
}));
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

/** Whether something is allowed. */
export const SubjectAccessReviewStatus = message(pkg, "SubjectAccessReviewStatus", () => ({
  allowed: required(1, bool),
  denied: optional(4, bool),
  reason: optional(2, string),
  evaluationError: optional(3, string),
}));
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}

/** A question: is a user or group allowed to do something? It is answered immediately and never stored. */
export const SubjectAccessReview = object(pkg, "SubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}

/** A question of the caller: am I allowed to do something? It is answered immediately and never stored. */
export const SelfSubjectAccessReview = object(pkg, "SelfSubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SelfSubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface SelfSubjectAccessReview extends Infer<typeof SelfSubjectAccessReview> {}

/** What the asker wants to do. */
export const SelfSubjectAccessReviewSpec = message(pkg, "SelfSubjectAccessReviewSpec", () => ({
  resourceAttributes: pointer(1, ResourceAttributes),
  nonResourceAttributes: pointer(2, NonResourceAttributes),
}));
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}

/** A {@link SubjectAccessReview} of one namespace, so that the right to ask can be granted in that namespace. */
export const LocalSubjectAccessReview = object(pkg, "LocalSubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReview> {}

/**
 * A question of the caller: what am I allowed to do in a namespace? The answer is meant for display and may be incomplete.
 */
export const SelfSubjectRulesReview = object(pkg, "SelfSubjectRulesReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SelfSubjectRulesReviewSpec),
  status: value(3, SubjectRulesReviewStatus),
}));
export interface SelfSubjectRulesReview extends Infer<typeof SelfSubjectRulesReview> {}

/** The place that is asked about. */
export const SelfSubjectRulesReviewSpec = message(pkg, "SelfSubjectRulesReviewSpec", () => ({
  namespace: optional(1, string),
}));
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

/** What the asker may do in a namespace, as far as the authorizers can list it. */
export const SubjectRulesReviewStatus = message(pkg, "SubjectRulesReviewStatus", () => ({
  resourceRules: required(1, list(ResourceRule)),
  nonResourceRules: required(2, list(NonResourceRule)),
  incomplete: required(3, bool),
  evaluationError: optional(4, string),
}));
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

/** Allows verbs on resources. */
export const ResourceRule = message(pkg, "ResourceRule", () => ({
  verbs: required(1, list(string)),
  apiGroups: optional(2, list(string)),
  resources: optional(3, list(string)),
  resourceNames: optional(4, list(string)),
}));
export interface ResourceRule extends Infer<typeof ResourceRule> {}

/** Allows verbs on paths. */
export const NonResourceRule = message(pkg, "NonResourceRule", () => ({
  verbs: required(1, list(string)),
  nonResourceURLs: optional(2, list(string)),
}));
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}
