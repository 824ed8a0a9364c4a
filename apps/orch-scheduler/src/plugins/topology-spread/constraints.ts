import type { core } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector, type Selector, selectorOf } from "@orchernetes/apimachinery";
import { selectorSteps } from "../../cache/matching-cost.ts";
import { requiredPairs } from "../../cache/pod-class.ts";
import type { PodQuery } from "../../cache/pod-counts.ts";
import type { PodInfo } from "../../cache/pod-info.ts";

/** A topology spread constraint, compiled for one pod. */
export interface Constraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  /** With fewer domains than this, the smallest count is 0 (KEP-3022). */
  readonly minDomains: number;
  /** Nodes that the pod's node selector and affinity do not match are no domains (KEP-3094). */
  readonly honorAffinity: boolean;
  /** Nodes whose taints the pod does not tolerate are no domains (KEP-3094). */
  readonly honorTaints: boolean;
  /** The pods to spread. */
  readonly query: PodQuery;
  /** 1 when the pod itself is one of those, else 0. */
  readonly self: number;
  /** What a comparison with a pod costs. */
  readonly steps: number;
}

type WhenUnsatisfiable = core.TopologySpreadConstraint["whenUnsatisfiable"];

/** A constraint for pods without their own. */
export type DefaultConstraint = Omit<core.TopologySpreadConstraint, "labelSelector" | "matchLabelKeys">;

/** Which fields of constraints have an effect, by feature gates. */
export interface ConstraintFeatures {
  readonly minDomains: boolean;
  /** `nodeAffinityPolicy` and `nodeTaintsPolicy`. */
  readonly inclusionPolicies: boolean;
  readonly matchLabelKeys: boolean;
}

/** Every field has an effect. */
export const allFeatures: ConstraintFeatures = { minDomains: true, inclusionPolicies: true, matchLabelKeys: true };

type Counting = Pick<Constraint, "maxSkew" | "topologyKey" | "minDomains" | "honorAffinity" | "honorTaints">;

const countingOf = (
  { maxSkew, topologyKey, minDomains, nodeAffinityPolicy, nodeTaintsPolicy }: DefaultConstraint,
  features: ConstraintFeatures,
): Counting => ({
  maxSkew,
  topologyKey,
  minDomains: features.minDomains ? (minDomains ?? 1) : 1,
  honorAffinity: !features.inclusionPolicies || nodeAffinityPolicy !== "Ignore",
  honorTaints: features.inclusionPolicies && nodeTaintsPolicy === "Honor",
});

/**
 * The default constraints, if neither the pod nor the configuration has any (KEP-1258): over nodes, and less strictly
 * over zones.
 */
export const SYSTEM_DEFAULTS: readonly DefaultConstraint[] = [
  { maxSkew: 3, topologyKey: "orchernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
  { maxSkew: 5, topologyKey: "topology.orchernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" },
];

/** The selector with the pod's own values of some label keys in addition (`matchLabelKeys`, KEP-3243). */
function narrowed(selector: Selector, keys: readonly string[] | undefined, labels: Record<string, string>): Selector {
  const own = (keys ?? []).filter((key) => Object.hasOwn(labels, key));
  if (own.length === 0 || selector.selectsNothing) return selector;
  return selectorOf([
    ...selector.requirements,
    ...own.map((key) => ({ key, operator: "=" as const, values: [labels[key] ?? ""] })),
  ]);
}

/**
 * Counts the pods of a namespace that a selector matches; terminating pods do not count. A selector without any
 * requirement matches all pods, but counts none, as in the original.
 */
export function spreadQuery(namespace: string, selector: Selector): PodQuery {
  return {
    key: JSON.stringify(["spread", namespace, selector.selectsNothing, selector.toString()]),
    namespaces: [namespace],
    labels: requiredPairs(selector),
    matches: ({ labels, terminating }) => !terminating && !selector.empty && selector.matches(labels),
  };
}

/** A pod's own constraints of one kind. @throws SelectorError */
export function ownConstraints(
  { pod, namespace }: PodInfo,
  when: WhenUnsatisfiable,
  features: ConstraintFeatures = allFeatures,
): readonly Constraint[] {
  const labels = pod.metadata.labels ?? {};
  return (pod.spec.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => {
      const base = labelSelectorAsSelector(constraint.labelSelector as LabelSelector | undefined);
      const selector = features.matchLabelKeys ? narrowed(base, constraint.matchLabelKeys, labels) : base;
      return {
        ...countingOf(constraint, features),
        query: spreadQuery(namespace, selector),
        self: selector.matches(labels) ? 1 : 0,
        steps: selectorSteps(selector),
      };
    });
}

/** The default constraints for a pod without its own, over the pods that its services and controller select. */
export function defaultedConstraints(
  { pod, namespace }: PodInfo,
  defaults: readonly DefaultConstraint[],
  when: WhenUnsatisfiable,
  selector: Selector,
  features: ConstraintFeatures,
): readonly Constraint[] {
  const query = spreadQuery(namespace, selector);
  return defaults
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => ({
      ...countingOf(constraint, features),
      query,
      self: selector.matches(pod.metadata.labels) ? 1 : 0,
      steps: selectorSteps(selector),
    }));
}
