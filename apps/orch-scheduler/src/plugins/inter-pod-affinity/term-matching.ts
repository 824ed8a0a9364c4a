import type { core } from "@orchernetes/api";
import type { Selector } from "@orchernetes/apimachinery";
import type { AffinityTerm } from "../../cache/affinity-term.ts";
import { requiredPairs } from "../../cache/pod-class.ts";
import type { PodQuery } from "../../cache/pod-counts.ts";

/** The namespaces of the cluster, for terms with a namespace selector. */
export interface Namespaces {
  /** Undefined if there is no such namespace (yet). */
  labels(name: string): Readonly<Record<string, string>> | undefined;
  /** Names of those that a selector matches. */
  matching(selector: Selector): readonly string[];
}

/** Whether a term of one pod selects another pod. */
export function termSelects(
  term: AffinityTerm,
  { namespace, pod }: { readonly namespace: string; readonly pod: core.Pod },
  namespaces: Namespaces,
): boolean {
  const inNamespace =
    term.namespaces.includes(namespace) ||
    (term.namespaceSelector !== undefined &&
      (term.namespaceSelector.empty || term.namespaceSelector.matches(namespaces.labels(namespace))));
  return inNamespace && term.selector.matches(pod.metadata.labels);
}

/**
 * The namespaces of a term; undefined: all. An empty selector selects namespaces that are not known yet, too: their pods may
 * be known before them.
 */
function namespacesOf(
  { namespaces: named, namespaceSelector }: AffinityTerm,
  namespaces: Namespaces,
): readonly string[] | undefined {
  if (namespaceSelector === undefined) return named;
  if (namespaceSelector.empty) return undefined;
  return [...new Set([...named, ...namespaces.matching(namespaceSelector)])].sort();
}

/** A query of the pods that all terms select. There must be at least one term. */
export function allTermsQuery(terms: readonly AffinityTerm[], namespaces: Namespaces): PodQuery {
  const resolved = terms.map((term) => namespacesOf(term, namespaces)).filter((names) => names !== undefined);
  const everywhere = resolved.length === 0;
  const [first = []] = resolved;
  const others = resolved.slice(1).map((names) => new Set(names));
  const common = first.filter((name) => others.every((names) => names.has(name)));
  const selectors = terms.map(({ selector }) => selector);
  return {
    key: JSON.stringify(["affinity", everywhere || common, selectors.map((s) => [s.selectsNothing, s.toString()])]),
    namespaces: common,
    everywhere,
    labels: selectors.flatMap(requiredPairs),
    matches: ({ labels }) => selectors.every((selector) => selector.matches(labels)),
  };
}
