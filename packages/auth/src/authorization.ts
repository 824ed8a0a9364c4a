import { internalError } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";
import { type Attributes, type Authorizer, type Decision, NO_OPINION } from "./authorizers/authorizer.ts";
import { forbiddenBy } from "./forbidden.ts";

/** Reasons and errors of the authorizers that had no opinion. */
interface Gathered {
  readonly reasons: string[];
  readonly errors: unknown[];
}

/**
 * Asks authorizers in order; the first that allows or denies decides. An authorizer that fails has no opinion: the others are still
 * asked, and its error is reported only if none of them decides.
 */
export class Authorization implements Authorizer {
  readonly #authorizers: readonly Authorizer[];

  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  /** The decision; synchronously if all authorizers decide synchronously. Never throws: errors are part of NoOpinion. */
  authorize(attributes: Attributes): Decision | Promise<Decision> {
    return this.#from(attributes, 0, { reasons: [], errors: [] });
  }

  /**
   * Returns the decision if the request is allowed, synchronously if all authorizers decide synchronously.
   *
   * @param onRefused called with a decision that is not Allow, before the error is thrown
   * @throws ApiError Forbidden, or InternalError if none decided and one of them failed
   */
  check(attributes: Attributes, onRefused?: (decision: Decision) => void): Decision | Promise<Decision> {
    const decision = this.authorize(attributes);
    return decision instanceof Promise
      ? decision.then((late) => enforce(attributes, late, onRefused))
      : enforce(attributes, decision, onRefused);
  }

  #from(attributes: Attributes, start: number, gathered: Gathered): Decision | Promise<Decision> {
    for (let i = start; i < this.#authorizers.length; i++) {
      const decision = ask(this.#authorizers[i], attributes);
      if (decision instanceof Promise) {
        return decision.catch(failed).then((late) => settle(late, gathered) ?? this.#from(attributes, i + 1, gathered));
      }
      const settled = settle(decision, gathered);
      if (settled !== undefined) return settled;
    }
    const { reasons, errors } = gathered;
    const reason = reasons.join("\n");
    return errors.length === 0 ? { type: "NoOpinion", reason } : { type: "NoOpinion", reason, errors };
  }
}

function ask(authorizer: Authorizer | undefined, attributes: Attributes): Decision | Promise<Decision> {
  try {
    return authorizer?.authorize(attributes) ?? NO_OPINION;
  } catch (error) {
    return failed(error);
  }
}

const failed = (error: unknown): Decision => ({ type: "NoOpinion", errors: [error] });

function settle(decision: Decision, { reasons, errors }: Gathered): Decision | undefined {
  if (decision.type !== "NoOpinion") return decision;
  if (decision.reason) reasons.push(decision.reason);
  if (decision.errors !== undefined) errors.push(...decision.errors);
  return undefined;
}

function enforce(attributes: Attributes, decision: Decision, onRefused?: (decision: Decision) => void): Decision {
  if (decision.type === "Allow") return decision;
  onRefused?.(decision);
  if (decision.type === "NoOpinion" && decision.errors !== undefined) {
    const [first, ...others] = decision.errors;
    throw internalError(others.length === 0 ? first : new Error(errorsText(decision.errors), { cause: first }));
  }
  throw forbiddenBy(attributes, decision.reason);
}

/** Messages of errors as one text; several in brackets. */
export function errorsText(errors: readonly unknown[]): string {
  const texts = errors.map((error) => messageOf(error));
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
