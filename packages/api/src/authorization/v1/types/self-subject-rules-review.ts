import {
  bool,
  type Infer,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "authorization/v1";

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
