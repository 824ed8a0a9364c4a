import type { core } from "@orchernetes/api";
import { type AffinityTerm, affinityTerms, requiredTerms } from "../../cache/affinity-term.ts";
import { isTooLong, sumOfSteps } from "../../cache/matching-cost.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { QueueingHint } from "../../framework/cluster-change.ts";
import { type Namespaces, termSelects } from "./term-matching.ts";

/** Whether the anti-affinity of another pod forbids this one near it. */
const isForbiddenBy = (pod: PodInfo, other: core.Pod, namespaces: Namespaces): boolean =>
  other.spec.affinity?.podAntiAffinity !== undefined &&
  antiAffinityOf(other).some((term) => termSelects(term, pod, namespaces));

const compiled = new WeakMap<core.PodSpec, readonly AffinityTerm[]>();

/** Compiled once for all pods that wait. */
function antiAffinityOf({ metadata, spec }: core.Pod): readonly AffinityTerm[] {
  const known = compiled.get(spec);
  if (known !== undefined) return known;
  const required = requiredTerms(affinityTerms(spec, metadata.namespace ?? "") ?? []);
  // Too many of them were not counted.
  const terms = isTooLong(sumOfSteps(required)) ? [] : required.filter(({ kind }) => kind === "requiredAntiAffinity");
  compiled.set(spec, terms);
  return terms;
}

/**
 * Hint of InterPodAffinity. A pod with affinity waits for nodes with its topology keys, and for pods that its terms select
 * to appear, or to leave: the first pod of a group may go anywhere. One with anti-affinity waits for pods that its terms
 * select to leave, and any pod for those whose anti-affinity selects it.
 */
export function interPodAffinityHint(namespaces: Namespaces): QueueingHint {
  const selects = (terms: readonly AffinityTerm[], pod: core.Pod | undefined): readonly boolean[] =>
    terms.map(
      (term) => pod !== undefined && termSelects(term, { namespace: pod.metadata.namespace ?? "", pod }, namespaces),
    );
  const podHint = (waiting: PodInfo, old: core.Pod | undefined, now: core.Pod | undefined): boolean => {
    const required = waiting.terms?.filter(({ weight }) => weight === 0) ?? [];
    const [before, after] = [selects(required, old), selects(required, now)];
    const changed = required.some(({ kind }, i) =>
      kind === "requiredAffinity" ? before[i] !== after[i] : before[i] === true && after[i] === false,
    );
    return changed || (now === undefined && old !== undefined && isForbiddenBy(waiting, old, namespaces));
  };
  return (waiting, change) => {
    // Every change would cost as much as an attempt, which has a back-off.
    if (isTooLong(sumOfSteps(waiting.terms ?? []))) return "queue";
    if (change.resource === "Pod") return podHint(waiting, change.old, change.now) ? "queue" : "skip";
    if (change.resource !== "Node" || change.now === undefined) return "queue";
    const { old, now } = change;
    const wanted = waiting.terms?.filter(({ kind }) => kind === "requiredAffinity") ?? [];
    const isIn = (node: core.Node, { topologyKey }: AffinityTerm) =>
      Object.hasOwn(node.metadata.labels ?? {}, topologyKey);
    // A node that leaves a domain takes the pods of a group with it: the next one may be the first again.
    const helps =
      wanted.every((term) => isIn(now, term)) || wanted.some((term) => old !== undefined && isIn(old, term));
    return helps ? "queue" : "skip";
  };
}
