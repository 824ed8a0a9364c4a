import type { AdmissionAttributes } from "@orchernetes/apiserver";
import type { EquivalentResource } from "./equivalent-resources.ts";
import type { MatchCriteria, MatchResult } from "./match-criteria.ts";
import { matchesName, matchesRule, type RuleWithOperations } from "./rules.ts";

/** Whether `resourceNames` of rules are compared with the name of the object, or ignored. */
type NameCheck = "checked" | "possible";

/** The part of a write that the rules of criteria are about. */
type CriteriaSubject = Pick<
  AdmissionAttributes,
  "operation" | "resource" | "kind" | "subresource" | "namespace" | "name"
>;

const NO_MATCH: MatchResult = Object.freeze({ matches: false });

/** Whether the rules of criteria match a write. Selectors are not evaluated. */
export function matchRules(
  criteria: MatchCriteria,
  subject: CriteriaSubject,
  equivalents: readonly EquivalentResource[],
  names: NameCheck = "checked",
): MatchResult {
  const { resourceRules = [], excludeResourceRules = [] } = criteria;
  const others = criteria.matchPolicy === "Equivalent" ? equivalents : [];
  const mayName = (rule: RuleWithOperations) => names === "possible" || matchesName(rule, subject);
  if (excludeResourceRules.length > 0) {
    const isNamed = ({ resourceNames = [] }: RuleWithOperations) => resourceNames.length > 0;
    const excludes = (rule: RuleWithOperations) => (names === "possible" ? !isNamed(rule) : matchesName(rule, subject));
    if (firstMatch(excludeResourceRules, subject, others, excludes).matches) return NO_MATCH;
  }
  if (resourceRules.length === 0) return { matches: true, kind: subject.kind, resource: subject.resource };
  return firstMatch(resourceRules, subject, others, mayName);
}

/** The requested version comes first; then the rules in their order, each with the equivalents in theirs. */
function firstMatch(
  rules: readonly RuleWithOperations[],
  subject: CriteriaSubject,
  equivalents: readonly EquivalentResource[],
  mayName: (rule: RuleWithOperations) => boolean,
): MatchResult {
  const { kind, resource } = subject;
  if (rules.some((rule) => matchesRule(rule, subject, resource) && mayName(rule)))
    return { matches: true, kind, resource };
  for (const rule of rules) {
    if (equivalents.length === 0 || !mayName(rule)) continue;
    const found = equivalents.find((equivalent) => matchesRule(rule, subject, equivalent.resource));
    if (found !== undefined) return { matches: true, ...found };
  }
  return NO_MATCH;
}
