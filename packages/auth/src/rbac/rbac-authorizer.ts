import { errorsText } from "../authorization.ts";
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from "../authorizers/authorizer.ts";
import { type Grant, missingRole, type PolicyIndex } from "./policy-index.ts";
import { ruleAllows } from "./rule-match.ts";

function describeGrant(grant: Grant): string {
  const { subject, roleRef } = grant;
  const who =
    subject.kind === "ServiceAccount"
      ? `ServiceAccount "${subject.name}/${subject.namespace || grant.namespace}"`
      : `${subject.kind} "${subject.name}"`;
  return `RBAC: allowed by ${grant.binding} of ${roleRef.kind} "${roleRef.name}" to ${who}`;
}

/** Mode RBAC: decides by the roles that are bound to the user and the user's groups. Rules only allow, so there is no Deny. */
export function rbacAuthorizer(index: PolicyIndex): Authorizer {
  return {
    authorize(attributes: Attributes): Decision {
      const missing: string[] = [];
      for (const grant of index.grantsFor(attributes.user, attributes.namespace)) {
        // Outside the resource API only cluster-wide grants count.
        if (!attributes.resourceRequest && grant.namespace !== "") continue;
        const rules = index.rulesOf(grant);
        if (rules === undefined) missing.push(missingRole(grant));
        else if (rules.some((rule) => ruleAllows(rule, attributes)))
          return { type: "Allow", reason: describeGrant(grant) };
      }
      return missing.length === 0
        ? NO_OPINION
        : { type: "NoOpinion", reason: `RBAC: ${errorsText([...new Set(missing)])}` };
    },
  };
}
