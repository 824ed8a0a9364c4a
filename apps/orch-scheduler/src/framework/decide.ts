import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { runPostFilters, type Unschedulable, withPostFilters } from "./post-filters.ts";
import type { Profile } from "./profile.ts";
import { type CycleOptions, type Placement, schedulePod } from "./schedule-pod.ts";

/** The node of a pod, or why there is none and what is done about it. */
export type Decision = Placement | Unschedulable;

/** Input of a decision. */
export type Cycle = Required<Omit<CycleOptions, "meter">> & Pick<CycleOptions, "meter">;

/**
 * Decides about one pod on the current state: a scheduling cycle, and the post-filters if no node fits. It has no
 * effects; the caller carries out the decision. The same state, start and random numbers lead to the same decision.
 */
export function decide(pod: PodInfo, nodes: NodeTable, profile: Profile, cycle: Cycle): Decision {
  const { nominatedNode, nominations, meter } = cycle;
  const verdict = schedulePod(pod, nodes, profile, cycle);
  if (verdict.type === "node") return verdict;
  const failure = { pod, nominatedNode, nominations, nodes, profile, refusal: verdict };
  const plugins = nodes.size === 0 ? [] : profile.postFilters;
  return withPostFilters(
    verdict,
    runPostFilters(plugins, meter, (plugin) => plugin.postFilter(failure)),
  );
}
