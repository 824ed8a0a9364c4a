import type { policy } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import type { PodClass } from "../../cache/pod-class.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { RankedPods } from "../../cache/ranked-pods.ts";

type Budget = policy.PodDisruptionBudget;

/** The disruption budgets of a namespace. */
export type Budgets = (namespace: string) => readonly Budget[];

const NONE: ReadonlySet<number> = new Set();

/** Which budgets are about which pods, during one search. Pods of a class have the same ones. */
export class ProtectedPods {
  readonly #budgets: Budgets;
  readonly #byClass = new Map<PodClass, readonly Budget[]>();

  constructor(budgets: Budgets) {
    this.#budgets = budgets;
  }

  /**
   * Returns the places of pods whose eviction a budget does not allow. Each pod uses up a part of its budgets, so the order
   * decides.
   *
   * @param first the place of the most important pod that may be evicted
   */
  violating(ranked: RankedPods, first: number): ReadonlySet<number> {
    if (ranked.examples.every(({ podClass }) => this.#of(podClass).length === 0)) return NONE;
    const left = new Map<Budget, number>();
    const violating = new Set<number>();
    for (let place = first; place < ranked.pods.length; place++) {
      const { podClass, pod } = ranked.pods[place] as PodInfo;
      for (const budget of this.#of(podClass)) {
        if (Object.hasOwn(budget.status.disruptedPods ?? {}, pod.metadata.name)) continue;
        const remaining = (left.get(budget) ?? budget.status.disruptionsAllowed ?? 0) - 1;
        left.set(budget, remaining);
        if (remaining < 0) violating.add(place);
      }
    }
    return violating;
  }

  #of(podClass: PodClass): readonly Budget[] {
    let found = this.#byClass.get(podClass);
    if (found === undefined) {
      found = this.#budgets(podClass.namespace).filter((budget) => protects(budget, podClass));
      this.#byClass.set(podClass, found);
    }
    return found;
  }
}

/** As upstream: a selector of everything protects nothing, and a pod without labels is not protected. */
function protects({ spec }: Budget, { labels }: PodClass): boolean {
  const selector = labelSelectorAsSelector(spec.selector as LabelSelector | undefined);
  return labels !== undefined && Object.keys(labels).length > 0 && !selector.empty && selector.matches(labels);
}
