import type { NodeTable } from "../../cache/node-table.ts";
import type { Nominations } from "../../cache/nominated-pods.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { Candidate } from "../../framework/candidate.ts";
import type { PostFilterPlugin, PostFilterResult, SchedulingFailure } from "../../framework/interfaces.ts";
import { PodFilters } from "../../framework/pod-filters.ts";
import type { Profile } from "../../framework/profile.ts";
import { byImportance, cheapest } from "./candidate.ts";
import { type Budgets, partByBudgets } from "./disruption-budgets.ts";

/** The options of the plugin DefaultPreemption. */
export interface DefaultPreemptionOptions {
  /** At least this share of the nodes is examined, in per cent. */
  readonly minCandidateNodesPercentage: number;
  /** At least this many nodes are examined. */
  readonly minCandidateNodesAbsolute: number;
  readonly budgets: Budgets;
  /** [0, 1): where the search begins. */
  readonly random: () => number;
}

/** The input of a search for victims. */
interface Search {
  readonly pod: PodInfo;
  readonly nodes: NodeTable;
  readonly profile: Profile;
  readonly nominations: Nominations;
  readonly budgets: Budgets;
  /** The filters for the table as it was, if they can be kept up to date; else they are prepared again for each trial. */
  readonly filters: PodFilters | undefined;
}

/** Whether the pod passes the filters of a node as the table is now. */
function fits({ pod, nodes, profile, nominations, filters: kept }: Search, slot: number): boolean {
  const filters = kept ?? PodFilters.prepare(pod, nodes, profile, nominations);
  return !("rejected" in filters) && filters.passes(slot);
}

function add({ nodes, filters }: Search, slot: number, info: PodInfo): void {
  nodes.addPod(nodes.nameOf(slot), info);
  filters?.podChanged(slot, info, 1);
}

function remove({ nodes, filters }: Search, slot: number, info: PodInfo): void {
  nodes.removePod(nodes.nameOf(slot), info.key);
  filters?.podChanged(slot, info, -1);
}

/**
 * Finds the pods that would have to be evicted from a node. It removes all pods of lower priority, and puts back as
 * many as possible: the most important first, and those under a disruption budget before the others. The table is
 * changed meanwhile, and is as before when the function returns.
 */
function victimsOn(search: Search, slot: number): Candidate | undefined {
  const { pod, nodes, budgets } = search;
  const node = nodes.nameOf(slot);
  const lower = nodes.podsOn(node).filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return undefined;
  const away = new Set(lower);
  for (const info of lower) remove(search, slot, info);
  try {
    if (!fits(search, slot)) return undefined;
    const { violating, others } = partByBudgets([...lower].sort(byImportance), budgets);
    let violations = 0;
    for (const [group, violates] of [
      [violating, true],
      [others, false],
    ] as const)
      for (const info of group) {
        add(search, slot, info);
        if (fits(search, slot)) away.delete(info);
        else {
          remove(search, slot, info);
          if (violates) violations++;
        }
      }
    return away.size === 0 ? undefined : { slot, node, victims: [...away].sort(byImportance), violations };
  } finally {
    for (const info of away) add(search, slot, info);
  }
}

/**
 * Why the pod must not preempt now; "" if it may. A pod waits for the victims of its earlier preemption instead of
 * evicting others.
 */
function ineligible(pod: PodInfo, nodes: NodeTable, nominatedNode: string, helped: ReadonlySet<number>): string {
  if (pod.pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const slot = nominatedNode === "" ? undefined : nodes.slotOf(nominatedNode);
  if (slot === undefined || !helped.has(slot)) return "";
  const leaving = nodes
    .podsOn(nominatedNode)
    .some(({ priority, pod: other }) => priority < pod.priority && other.metadata.deletionTimestamp);
  return leaving ? "not eligible due to a terminating pod on the nominated node." : "";
}

/**
 * Post-filter DefaultPreemption: makes room for a pod by evicting pods of lower priority from the node where that costs
 * least. Disruption budgets are respected as far as possible, but not guaranteed (docs: "Pod Priority and Preemption").
 */
export function defaultPreemption(options: DefaultPreemptionOptions): PostFilterPlugin {
  const { minCandidateNodesPercentage, minCandidateNodesAbsolute, budgets, random } = options;
  // The search continues, beyond the minimum, until a candidate violates no budget.
  const find = (search: Search, slots: readonly number[]): Candidate[] => {
    const byShare = Math.floor((slots.length * minCandidateNodesPercentage) / 100);
    const enough = Math.min(Math.max(byShare, minCandidateNodesAbsolute), slots.length);
    const start = Math.floor(random() * slots.length);
    const found: Candidate[] = [];
    let harmless = false;
    for (let i = 0; i < slots.length && (found.length < enough || !harmless); i++) {
      const candidate = victimsOn(search, slots[(start + i) % slots.length] ?? 0);
      if (candidate === undefined) continue;
      found.push(candidate);
      harmless ||= candidate.violations === 0;
    }
    return found;
  };
  const candidatesFor = ({ pod, nodes, profile, nominations, refusal }: SchedulingFailure): readonly Candidate[] => {
    const prepared = PodFilters.prepare(pod, nodes, profile, nominations);
    const filters = "rejected" in prepared || !prepared.followsPods ? undefined : prepared;
    return find({ pod, nodes, profile, nominations, budgets, filters }, refusal.candidates);
  };
  return {
    name: "DefaultPreemption",
    postFilter: (failure) => refused(failure) ?? resultOf(failure, candidatesFor(failure)),
    async postFilterWith(failure, narrow) {
      const why = refused(failure);
      if (why !== undefined) return why;
      const candidates = candidatesFor(failure);
      return resultOf(failure, candidates.length === 0 ? candidates : await narrow(candidates));
    },
  };
}

function refused({ pod, nodes, nominatedNode, refusal }: SchedulingFailure): PostFilterResult | undefined {
  const why = ineligible(pod, nodes, nominatedNode, new Set(refusal.candidates));
  return why === "" ? undefined : { type: "none", message: `preemption: ${why}`, keepNomination: nominatedNode !== "" };
}

function resultOf({ nodes, refusal }: SchedulingFailure, candidates: readonly Candidate[]): PostFilterResult {
  const chosen = cheapest(candidates);
  if (chosen !== undefined) return { type: "nominate", node: chosen.node, victims: chosen.victims };
  return { type: "none", message: noCandidates(nodes.size, refusal.candidates.length), keepNomination: false };
}

function noCandidates(nodes: number, helped: number): string {
  const texts = [
    ...(helped > 0 ? [`${helped} No preemption victims found for incoming pod`] : []),
    ...(nodes > helped ? [`${nodes - helped} Preemption is not helpful for scheduling`] : []),
  ];
  return `preemption: 0/${nodes} nodes are available: ${texts.sort().join(", ")}.`;
}
