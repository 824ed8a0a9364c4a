import type { AdmissionAttributes, AdmissionContext, MutatingAttributes } from "@orchernetes/apiserver";
import { withKnown } from "../shared/plugin.ts";
import { EquivalentResources } from "./equivalent-resources.ts";
import type { MatchCriteria, MatchResult } from "./match-criteria.ts";
import { matchRules } from "./match-rules.ts";
import { matchesNamespace, matchesObject, namespaceOf } from "./selectors.ts";

const NO_MATCH: MatchResult = Object.freeze({ matches: false });

/** Decides whether a write matches criteria. One is enough for a plugin: it remembers which resources are equivalent. */
export class Matcher {
  readonly #equivalents = new EquivalentResources();

  /**
   * Rules and selectors together. Answers at once, unless the namespace is not in the watch cache yet.
   *
   * @throws ApiError NotFound when all but the selector of namespaces match, and the namespace does not exist
   */
  matches(
    criteria: MatchCriteria,
    attributes: AdmissionAttributes | MutatingAttributes,
    context: Pick<AdmissionContext, "registry" | "signal">,
  ): MatchResult | Promise<MatchResult> {
    const result = this.matchesRules(criteria, attributes, context);
    if (!result.matches) return result;
    return withKnown(matchesSelectors(criteria, attributes, context), (selected) => (selected ? result : NO_MATCH));
  }

  /** The rules alone. */
  matchesRules(
    criteria: MatchCriteria,
    attributes: AdmissionAttributes | MutatingAttributes,
    { registry }: Pick<AdmissionContext, "registry">,
  ): MatchResult {
    const subject = { ...attributes, namespace: namespaceOf(attributes) };
    return matchRules(criteria, subject, this.#equivalents.of(attributes, registry));
  }
}

/**
 * The selectors alone.
 *
 * @throws ApiError NotFound when the object is selected and the namespace does not exist
 */
export function matchesSelectors(
  criteria: MatchCriteria,
  attributes: AdmissionAttributes | MutatingAttributes,
  context: Pick<AdmissionContext, "registry" | "signal">,
): boolean | Promise<boolean> {
  const { operation, resource, subresource, namespace, name, oldObject } = attributes;
  // A draft is read here, not changed.
  const object = attributes.object as AdmissionAttributes["object"];
  const subject = { operation, resource, subresource, namespace, name, object, oldObject };
  return matchesObject(criteria, subject) && matchesNamespace(criteria, subject, context);
}
