import type { core } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector, type Selector } from "@orchernetes/apimachinery";
import { selectorSteps } from "./matching-cost.ts";

/** The list of a pod's affinity that a term is from. */
export type TermKind = "requiredAffinity" | "requiredAntiAffinity" | "preferredAffinity" | "preferredAntiAffinity";

/**
 * A compiled term of inter-pod affinity. Equal terms of pods in one namespace have equal keys: pods of a template share
 * their terms, so that counts are kept per term and not per pod.
 */
export interface AffinityTerm {
  readonly key: string;
  readonly kind: TermKind;
  /** 1–100 for preferred terms, 0 for required ones. */
  readonly weight: number;
  readonly topologyKey: string;
  /** Named namespaces, sorted; the pod's own if there are neither names nor a selector. */
  readonly namespaces: readonly string[];
  /** Selects further namespaces by label; undefined selects none. */
  readonly namespaceSelector: Selector | undefined;
  readonly selector: Selector;
  /** What a comparison with a pod costs. */
  readonly steps: number;
}

/** Those that must be met. */
export const requiredTerms = (terms: readonly AffinityTerm[]): readonly AffinityTerm[] =>
  terms.filter(({ weight }) => weight === 0);

function compile(kind: TermKind, term: core.PodAffinityTerm, namespace: string, weight: number): AffinityTerm {
  const { labelSelector, namespaces: named = [], namespaceSelector, topologyKey } = term;
  const own = named.length === 0 && !namespaceSelector;
  const namespaces = own ? [namespace] : [...new Set(named)].sort();
  const selector = labelSelectorAsSelector(labelSelector as LabelSelector | undefined);
  const ofNamespaces = namespaceSelector ? labelSelectorAsSelector(namespaceSelector as LabelSelector) : undefined;
  return {
    key: JSON.stringify([kind, weight, topologyKey, namespaces, namespaceSelector ?? null, labelSelector ?? null]),
    kind,
    weight,
    topologyKey,
    namespaces,
    namespaceSelector: ofNamespaces,
    selector,
    steps: selectorSteps(selector) + (ofNamespaces ? selectorSteps(ofNamespaces) : 0) + namespaces.length - 1,
  };
}

function compileTerms(affinity: core.Affinity, namespace: string): readonly AffinityTerm[] | undefined {
  const { podAffinity, podAntiAffinity } = affinity;
  const terms: AffinityTerm[] = [];
  for (const term of podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    terms.push(compile("requiredAffinity", term, namespace, 0));
  for (const term of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    terms.push(compile("requiredAntiAffinity", term, namespace, 0));
  for (const { weight, podAffinityTerm } of podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    terms.push(compile("preferredAffinity", podAffinityTerm, namespace, weight));
  for (const { weight, podAffinityTerm } of podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    terms.push(compile("preferredAntiAffinity", podAffinityTerm, namespace, weight));
  return terms.length === 0 ? undefined : terms;
}

interface Compiled {
  readonly namespace: string;
  readonly terms: readonly AffinityTerm[] | undefined;
}

const byAffinity = new WeakMap<core.Affinity, Compiled>();

/**
 * The terms of a pod's affinity to other pods; undefined for pods without any, which are most. Compiled once for pods that
 * share their affinity. @throws SelectorError
 */
export function affinityTerms({ affinity }: core.PodSpec, namespace: string): readonly AffinityTerm[] | undefined {
  if (!affinity?.podAffinity && !affinity?.podAntiAffinity) return undefined;
  const known = byAffinity.get(affinity);
  if (known?.namespace === namespace) return known.terms;
  const terms = compileTerms(affinity, namespace);
  byAffinity.set(affinity, { namespace, terms });
  return terms;
}
