import {
  embed,
  enumeration,
  type Infer,
  LabelSelector,
  list,
  message,
  optional,
  pointer,
  string,
} from "@orchernetes/apimachinery";
import { RuleWithOperations } from "../../v1/types/common.ts";

const pkg = "admissionregistration/v1alpha1";

export const MatchResources = message(
  pkg,
  "MatchResources",
  () => ({
    namespaceSelector: pointer(1, LabelSelector),
    objectSelector: pointer(2, LabelSelector),
    resourceRules: optional(3, list(NamedRuleWithOperations)),
    excludeResourceRules: optional(4, list(NamedRuleWithOperations)),
    matchPolicy: pointer(7, enumeration("Exact", "Equivalent")),
  }),
  { atomic: true },
);
export interface MatchResources extends Infer<typeof MatchResources> {}

export const NamedRuleWithOperations = message(
  pkg,
  "NamedRuleWithOperations",
  () => ({
    resourceNames: optional(1, list(string)),
    ...embed(2, "ruleWithOperations", RuleWithOperations),
  }),
  { atomic: true },
);
export interface NamedRuleWithOperations extends Infer<typeof NamedRuleWithOperations> {}
