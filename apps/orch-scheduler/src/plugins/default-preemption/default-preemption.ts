import { messageOf } from "@orchernetes/kernel";
import { isPreempted } from "../../cache/disruption.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Candidate } from "../../framework/candidate.ts";
import { histogram } from "../../framework/explain-refusal.ts";
import type { PostFilterPlugin, PostFilterResult, SchedulingFailure } from "../../framework/interfaces.ts";
import { BestCandidate } from "./best-candidate.ts";
import { cheapest } from "./candidate.ts";
import { type Budgets, ProtectedPods } from "./disruption-budgets.ts";
import { suitsLater } from "./suits-later.ts";
import { trialOf } from "./trial.ts";
import { VictimsSearch } from "./victims-search.ts";

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

/** The result of a search over nodes. */
interface Found {
  /** The candidates that were asked for: all of them, or the best one. */
  readonly candidates: readonly Candidate[];
  /** The number of the other nodes for each reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The errors of filters, each once: their nodes are no candidates. */
  readonly errors: ReadonlySet<string>;
}

/** Extenders have removed all candidates. As in the original, an earlier nomination is kept. */
const NO_CANDIDATE: PostFilterResult = {
  type: "none",
  message: "preemption: no candidate node for preemption",
  keepNomination: true,
};

const VICTIMS_LEAVE = "not eligible due to a terminating pod on the nominated node.";

/**
 * Why the pod must not preempt now; "" if it may. A pod waits for the victims of its earlier preemption instead of
 * evicting others, but not for pods that terminate for another reason (upstream: `PodEligibleToPreemptOthers`).
 */
function ineligible(failure: SchedulingFailure, victimsHaveCondition: boolean): string {
  const { pod, nodes, nominatedNode, nominations, refusal } = failure;
  if (pod.pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  // A slow server has not deleted the victims yet. The original evicts them before the pod can be tried again.
  if (nominations.isEvicting(pod.uid)) return VICTIMS_LEAVE;
  const slot = nominatedNode === "" ? undefined : nodes.slotOf(nominatedNode);
  if (slot === undefined || !refusal.candidates.includes(slot)) return "";
  const isLeaving = ({ metadata, status }: PodInfo["pod"]): boolean =>
    Boolean(metadata.deletionTimestamp) && (!victimsHaveCondition || isPreempted(status));
  const leaving = nodes
    .podsOn(nominatedNode)
    .some(({ priority, pod: other }) => priority < pod.priority && isLeaving(other));
  return leaving ? VICTIMS_LEAVE : "";
}

/**
 * Post-filter DefaultPreemption: makes room for a pod by evicting pods of lower priority from the node where that costs
 * least. Disruption budgets are respected as far as possible, but not guaranteed (docs: "Pod Priority and Preemption").
 */
export function defaultPreemption(options: DefaultPreemptionOptions): PostFilterPlugin {
  const { minCandidateNodesPercentage, minCandidateNodesAbsolute, budgets, victimsHaveCondition, random } = options;
  // The search continues, beyond the minimum, until a candidate violates no budget.
  const find = (failure: SchedulingFailure, wanted: "all" | "best"): Found => {
    const { pod, nodes, refusal } = failure;
    const slots = refusal.candidates;
    const trial = trialOf(failure);
    const search = new VictimsSearch({ pod, nodes, protectedPods: new ProtectedPods(budgets), trial });
    const best = new BestCandidate(search, () => (trial.countsPods ? suitsLater(failure) : undefined));
    const byShare = Math.floor((slots.length * minCandidateNodesPercentage) / 100);
    const enough = Math.min(Math.max(byShare, minCandidateNodesAbsolute), slots.length);
    const start = Math.floor(random() * slots.length);
    const candidates: Candidate[] = [];
    const reasons = new Map<string, number>();
    const errors = new Set<string>();
    let harmless = false;
    for (let i = 0, count = 0; i < slots.length && (count < enough || !harmless); i++) {
      const slot = slots[(start + i) % slots.length] ?? 0;
      const found = examined(search, slot);
      if ("error" in found) errors.add(found.error);
      else if ("weight" in found) {
        count++;
        harmless ||= found.violations === 0;
        if (wanted === "all") candidates.push(search.candidate);
        else best.offer(found, slot);
      } else for (const reason of found) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    return { candidates: best.candidate === undefined ? candidates : [best.candidate], reasons, errors };
  };
  const decide = (failure: SchedulingFailure): PostFilterResult =>
    refused(failure, victimsHaveCondition) ?? resultOf(failure, find(failure, "best"));
  const decideWith: PostFilterPlugin["postFilterWith"] = async (failure, narrow) => {
    const why = refused(failure, victimsHaveCondition);
    if (why !== undefined) return why;
    const found = find(failure, "all");
    if (found.candidates.length === 0) return resultOf(failure, found);
    const candidates = await narrow(found.candidates);
    return candidates.length === 0 ? NO_CANDIDATE : resultOf(failure, { ...found, candidates });
  };
  return {
    name: "DefaultPreemption",
    postFilter(failure) {
      try {
        return decide(failure);
      } catch (error) {
        throw preemptionError(error);
      }
    },
    postFilterWith: (failure, narrow) =>
      decideWith(failure, narrow).catch((error: unknown) => {
        throw preemptionError(error);
      }),
  };
}

const preemptionError = (cause: unknown): Error => new Error(`preemption: ${messageOf(cause)}`, { cause });

/** What is found on a node. An error of a filter there does not keep preemption from other nodes, as in the original. */
function examined(search: VictimsSearch, slot: number): ReturnType<VictimsSearch["examine"]> | { error: string } {
  try {
    return search.examine(slot);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function refused(failure: SchedulingFailure, victimsHaveCondition: boolean): PostFilterResult | undefined {
  const why = ineligible(failure, victimsHaveCondition);
  if (why === "") return undefined;
  return { type: "none", message: `preemption: ${why}`, keepNomination: failure.nominatedNode !== "" };
}

/** @throws Error if there is no candidate, because filters failed */
function resultOf({ nodes, refusal }: SchedulingFailure, { candidates, reasons, errors }: Found): PostFilterResult {
  const chosen = cheapest(candidates);
  if (chosen !== undefined) return { type: "nominate", node: chosen.node, victims: chosen.victims };
  if (errors.size > 0) throw new Error(errors.size === 1 ? [...errors].join() : `[${[...errors].join(", ")}]`);
  const unhelped = nodes.size - refusal.candidates.length;
  const counts = new Map(reasons);
  if (unhelped > 0) counts.set("Preemption is not helpful for scheduling", unhelped);
  const message = `preemption: 0/${nodes.size} nodes are available: ${histogram(counts)}.`;
  return { type: "none", message, keepNomination: false };
}
