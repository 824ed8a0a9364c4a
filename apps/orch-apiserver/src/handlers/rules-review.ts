import type { authorization } from "@orchernetes/api";
import { badRequest } from "@orchernetes/apimachinery";
import type { RequestHandler } from "@orchernetes/apiserver";
import { errorsText } from "@orchernetes/auth";
import type { RuleSource } from "../authorization/rights.ts";
import { reviewHandler } from "./review.ts";

/** `selfsubjectrulesreviews`: all that I may do in a namespace, for user interfaces; never a basis for decisions. */
export function selfSubjectRulesReviewHandler(sources: readonly RuleSource[]): RequestHandler {
  return reviewHandler<authorization.SelfSubjectRulesReview>(async (review, { user }) => {
    const { namespace } = review.spec;
    if (!namespace) throw badRequest("no namespace on request");
    const rules = sources.flatMap((source) => source.rulesFor(user, namespace));
    const unresolved = sources.flatMap((source) => source.unresolved?.(user) ?? []);
    const errors = new Set(
      sources.flatMap((source) => [source.unresolved?.(user) ?? [], source.errors?.(user, namespace) ?? []].flat()),
    );
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
        incomplete: unresolved.length > 0,
        ...(errors.size > 0 && { evaluationError: errorsText([...errors]) }),
      },
    };
  });
}
