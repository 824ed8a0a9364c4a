import type { ApiObject } from "@orchernetes/apimachinery";
import { badRequest, invalid, withErrorLimit } from "@orchernetes/apimachinery";
import type { HandlerResult, RequestContext, RequestHandler } from "@orchernetes/apiserver";

/**
 * A handler for a kind that is evaluated, not stored: the response is the request with its status filled in, 201.
 */
export function reviewHandler<T extends ApiObject>(
  answer: (review: T, context: RequestContext) => Promise<T>,
): RequestHandler {
  return {
    verbs: ["create"],
    async handle(context): Promise<HandlerResult> {
      if (context.body === undefined)
        throw badRequest(`a ${context.definition.kind} is expected in the body; found none`);
      const { definition, user, now, body } = context;
      const ctx = { now, user, featureEnabled: () => false, allowPrivileged: false };
      const errors = withErrorLimit(() => definition.strategy.validate?.(body, ctx) ?? []);
      // Clients know these errors without a kind.
      if (errors.length > 0) throw invalid({ group: definition.group, kind: "" }, "", errors);
      await context.admit("CREATE", body);
      const object = await answer(body as T, context);
      return { type: "object", object, status: 201 };
    },
  };
}
