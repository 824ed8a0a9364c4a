import type { authorization, rbac } from "@orchernetes/api";
import { badRequest } from "@orchernetes/apimachinery";
import type { RequestHandler, UserInfo } from "@orchernetes/apiserver";
import { reviewHandler } from "./review.ts";

/** What one authorizer can tell of everything that a user may do in a namespace. */
export interface RuleSource {
  rulesFor(user: UserInfo, namespace: string): readonly rbac.PolicyRule[];
  /** Whether the authorizer also allows things that no rule shows. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** `selfsubjectrulesreviews`: all that I may do in a namespace, for user interfaces; never a basis for decisions. */
export function selfSubjectRulesReviewHandler(sources: readonly RuleSource[]): RequestHandler {
  return reviewHandler<authorization.SelfSubjectRulesReview>(async (review, { user }) => {
    const { namespace } = review.spec;
    if (!namespace) throw badRequest("no namespace on request");
    const rules = sources.flatMap((source) => source.rulesFor(user, namespace));
    const errors = sources.flatMap((source) => source.evaluationError ?? []);
    const resourceRules = rules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
      resources?.length
        ? [{ verbs, apiGroups: apiGroups ?? [], resources, ...(resourceNames?.length && { resourceNames }) }]
        : [],
    );
    const nonResourceRules = rules.flatMap(({ verbs, nonResourceURLs }) =>
      nonResourceURLs?.length ? [{ verbs, nonResourceURLs }] : [],
    );
    return {
      ...review,
      status: {
        resourceRules,
        nonResourceRules,
        incomplete: sources.some((source) => source.incomplete),
        ...(errors.length > 0 && { evaluationError: errors.join(", ") }),
      },
    };
  });
}
