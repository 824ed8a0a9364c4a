import { isPreempted } from "../../cache/disruption.ts";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Candidate } from "../../framework/candidate.ts";
import { histogram } from "../../framework/explain-refusal.ts";
import type { PostFilterPlugin, PostFilterResult, SchedulingFailure } from "../../framework/interfaces.ts";
import { type NodeRefusal, PodFilters } from "../../framework/pod-filters.ts";
import { byImportance, cheapest } from "./candidate.ts";
import { type Budgets, partByBudgets } from "./disruption-budgets.ts";

/** The options of the plugin DefaultPreemption. */
export interface DefaultPreemptionOptions {
  /** At least this share of the nodes is examined, in per cent. */
  readonly minCandidateNodesPercentage: number;
  /** At least this many nodes are examined. */
  readonly minCandidateNodesAbsolute: number;
  readonly budgets: Budgets;
  /**
   * Whether victims have a condition that says so (feature gate PodDisruptionConditions). Without it, each terminating pod counts
   * as a victim.
   */
  readonly victimsHaveCondition: boolean;
  /** [0, 1): where the search begins. */
  readonly random: () => number;
}

/** The input of a search for victims. */
interface Search {
  readonly pod: PodInfo;
  readonly nodes: NodeTable;
  readonly budgets: Budgets;
  readonly trial: Trial;
}

/** Tries out which pods of a node have to leave. It ends as it began. */
interface Trial {
  readonly add: (slot: number, info: PodInfo) => void;
  readonly remove: (slot: number, info: PodInfo) => void;
  /** Whether the pod passes the filters of a node as it is now. */
  readonly fits: (slot: number) => boolean;
  /** Why it does not pass them. */
  readonly reasons: (slot: number) => readonly string[];
}

/** The candidates that were found, and the number of the other nodes for each reason. */
interface Found {
  readonly candidates: readonly Candidate[];
  readonly reasons: ReadonlyMap<string, number>;
}

const NO_VICTIMS = ["No preemption victims found for incoming pod"];

/** Extenders have removed all candidates. As in the original, an earlier nomination is kept. */
const NO_CANDIDATE: PostFilterResult = {
  type: "none",
  message: "preemption: no candidate node for preemption",
  keepNomination: true,
};

const textsOf = (refusal: NodeRefusal | undefined): readonly string[] =>
  refusal?.reasons.map(({ text }) => text) ?? NO_VICTIMS;

/** A trial in the way that the filters support: without moving pods in the table if all of them can do that, else by moving them. */
function trialOf({ pod, nodes, profile, nominations }: SchedulingFailure): Trial {
  const prepare = () => PodFilters.prepare(pod, nodes, profile, nominations);
  const prepared = prepare();
  if ("rejected" in prepared || !prepared.followsPods)
    return {
      add: (slot, info) => nodes.addPod(nodes.nameOf(slot), info),
      remove: (slot, info) => nodes.removePod(nodes.nameOf(slot), info.key),
      fits(slot) {
        const filters = prepare();
        return !("rejected" in filters) && filters.passes(slot);
      },
      reasons(slot) {
        const filters = prepare();
        return "rejected" in filters ? [filters.rejected] : textsOf(filters.refusalOf(slot));
      },
    };
  const verdicts: Pick<Trial, "fits" | "reasons"> = {
    fits: (slot) => prepared.passes(slot),
    reasons: (slot) => textsOf(prepared.refusalOf(slot)),
  };
  if (prepared.triesPods)
    return {
      add: (slot, info) => prepared.tryPod(slot, info, 1),
      remove: (slot, info) => prepared.tryPod(slot, info, -1),
      ...verdicts,
    };
  return {
    add(slot, info) {
      nodes.addPod(nodes.nameOf(slot), info);
      prepared.podChanged(slot, info, 1);
    },
    remove(slot, info) {
      nodes.removePod(nodes.nameOf(slot), info.key);
      prepared.podChanged(slot, info, -1);
    },
    ...verdicts,
  };
}

/**
 * Finds the pods that would have to be evicted from a node. It removes all pods of lower priority, and puts back as
 * many as possible: the most important first, and those under a disruption budget before the others.
 *
 * @returns the candidate, or why there is none
 */
function victimsOn({ pod, nodes, budgets, trial }: Search, slot: number): Candidate | readonly string[] {
  const node = nodes.nameOf(slot);
  const lower = nodes.podsBelow(node, pod.priority);
  if (lower.length === 0) return NO_VICTIMS;
  for (const info of lower) trial.remove(slot, info);
  const victims: PodInfo[] = [];
  let order: readonly PodInfo[] = lower;
  /** Where the pods begin that were not put back yet. */
  let next = 0;
  try {
    if (!trial.fits(slot)) return trial.reasons(slot);
    const { violating, others } = partByBudgets(lower.sort(byImportance), budgets);
    order = violating.length === 0 ? others : [...violating, ...others];
    let violations = 0;
    while (next < order.length) {
      const info = order[next] as PodInfo;
      const violates = next++ < violating.length;
      trial.add(slot, info);
      if (trial.fits(slot)) continue;
      trial.remove(slot, info);
      victims.push(info);
      if (violates) violations++;
    }
    return victims.length === 0 ? NO_VICTIMS : { slot, node, victims: [...victims].sort(byImportance), violations };
  } finally {
    for (const info of victims) trial.add(slot, info);
    for (; next < order.length; next++) trial.add(slot, order[next] as PodInfo);
  }
}

/**
 * Why the pod must not preempt now; "" if it may. A pod waits for the victims of its earlier preemption instead of
 * evicting others, but not for pods that terminate for another reason (upstream: `PodEligibleToPreemptOthers`).
 */
function ineligible({ pod, nodes, nominatedNode, refusal }: SchedulingFailure, victimsHaveCondition: boolean): string {
  if (pod.pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const slot = nominatedNode === "" ? undefined : nodes.slotOf(nominatedNode);
  if (slot === undefined || !refusal.candidates.includes(slot)) return "";
  const isLeaving = ({ metadata, status }: PodInfo["pod"]): boolean =>
    Boolean(metadata.deletionTimestamp) && (!victimsHaveCondition || isPreempted(status));
  const leaving = nodes
    .podsOn(nominatedNode)
    .some(({ priority, pod: other }) => priority < pod.priority && isLeaving(other));
  return leaving ? "not eligible due to a terminating pod on the nominated node." : "";
}

/**
 * Post-filter DefaultPreemption: makes room for a pod by evicting pods of lower priority from the node where that costs
 * least. Disruption budgets are respected as far as possible, but not guaranteed (docs: "Pod Priority and Preemption").
 */
export function defaultPreemption(options: DefaultPreemptionOptions): PostFilterPlugin {
  const { minCandidateNodesPercentage, minCandidateNodesAbsolute, budgets, victimsHaveCondition, random } = options;
  // The search continues, beyond the minimum, until a candidate violates no budget.
  const find = (search: Search, slots: readonly number[]): Found => {
    const byShare = Math.floor((slots.length * minCandidateNodesPercentage) / 100);
    const enough = Math.min(Math.max(byShare, minCandidateNodesAbsolute), slots.length);
    const start = Math.floor(random() * slots.length);
    const candidates: Candidate[] = [];
    const reasons = new Map<string, number>();
    let harmless = false;
    for (let i = 0; i < slots.length && (candidates.length < enough || !harmless); i++) {
      const found = victimsOn(search, slots[(start + i) % slots.length] ?? 0);
      if ("victims" in found) {
        candidates.push(found);
        harmless ||= found.violations === 0;
      } else for (const reason of found) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    return { candidates, reasons };
  };
  const candidatesFor = (failure: SchedulingFailure): Found => {
    const { pod, nodes, refusal } = failure;
    return find({ pod, nodes, budgets, trial: trialOf(failure) }, refusal.candidates);
  };
  return {
    name: "DefaultPreemption",
    postFilter: (failure) => refused(failure, victimsHaveCondition) ?? resultOf(failure, candidatesFor(failure)),
    async postFilterWith(failure, narrow) {
      const why = refused(failure, victimsHaveCondition);
      if (why !== undefined) return why;
      const found = candidatesFor(failure);
      if (found.candidates.length === 0) return resultOf(failure, found);
      const candidates = await narrow(found.candidates);
      return candidates.length === 0 ? NO_CANDIDATE : resultOf(failure, { ...found, candidates });
    },
  };
}

function refused(failure: SchedulingFailure, victimsHaveCondition: boolean): PostFilterResult | undefined {
  const why = ineligible(failure, victimsHaveCondition);
  if (why === "") return undefined;
  return { type: "none", message: `preemption: ${why}`, keepNomination: failure.nominatedNode !== "" };
}

function resultOf({ nodes, refusal }: SchedulingFailure, { candidates, reasons }: Found): PostFilterResult {
  const chosen = cheapest(candidates);
  if (chosen !== undefined) return { type: "nominate", node: chosen.node, victims: chosen.victims };
  const unhelped = nodes.size - refusal.candidates.length;
  const counts = new Map(reasons);
  if (unhelped > 0) counts.set("Preemption is not helpful for scheduling", unhelped);
  const message = `preemption: 0/${nodes.size} nodes are available: ${histogram(counts)}.`;
  return { type: "none", message, keepNomination: false };
}
