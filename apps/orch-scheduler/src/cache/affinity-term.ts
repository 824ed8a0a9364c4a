import type { core } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector, type Selector } from "@orchernetes/apimachinery";

/** Which list of a pod's affinity a term is from. */
export type TermKind = "requiredAffinity" | "requiredAntiAffinity" | "preferredAffinity" | "preferredAntiAffinity";

/** A term of inter-pod affinity, compiled: equal terms of pods of one namespace have equal keys. */
export interface AffinityTerm {
  readonly key: string;
  readonly kind: TermKind;
  /** 1–100 for preferred terms, 0 for required ones. */
  readonly weight: number;
  readonly topologyKey: string;
  /** Namespaces named, sorted; the pod's own when neither names nor a selector are given. */
  readonly namespaces: readonly string[];
  /** Namespaces by label, besides those named; undefined selects none. */
  readonly namespaceSelector: Selector | undefined;
  readonly selector: Selector;
}

function compile(kind: TermKind, term: core.PodAffinityTerm, namespace: string, weight: number): AffinityTerm {
  const { labelSelector, namespaces: named = [], namespaceSelector, topologyKey } = term;
  const own = named.length === 0 && !namespaceSelector;
  const namespaces = own ? [namespace] : [...named].sort();
  return {
    key: JSON.stringify([kind, weight, topologyKey, namespaces, namespaceSelector ?? null, labelSelector ?? null]),
    kind,
    weight,
    topologyKey,
    namespaces,
    namespaceSelector: namespaceSelector ? labelSelectorAsSelector(namespaceSelector as LabelSelector) : undefined,
    selector: labelSelectorAsSelector(labelSelector as LabelSelector | undefined),
  };
}

/** The terms of a pod's affinity to other pods; undefined for the many that have none. @throws SelectorError */
export function affinityTerms(spec: core.PodSpec, namespace: string): readonly AffinityTerm[] | undefined {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return undefined;
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
