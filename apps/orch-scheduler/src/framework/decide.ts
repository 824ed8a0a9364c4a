import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { Refusal } from "./explain-refusal.ts";
import type { PostFilterResult } from "./interfaces.ts";
import type { Profile } from "./profile.ts";
import { type CycleOptions, type Placement, schedulePod } from "./schedule-pod.ts";

/** What a post-filter plugin decided. */
export interface PostFilterVerdict {
  readonly plugin: string;
  readonly result: PostFilterResult;
}

/** No node fits, and what the post-filters say to that. */
interface Unschedulable extends Refusal {
  /** In the order of the plugins, up to the first that nominates a node. */
  readonly postFilters: readonly PostFilterVerdict[];
}

/** The node of a pod, or why there is none and what is done about it. */
export type Decision = Placement | Unschedulable;

/** What the message of a refusal says of a post-filter. The period comes after the plugin's own, as in the original. */
export const postFilterText = (message: string): string => ` ${message}.`;

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
  const postFilters: PostFilterVerdict[] = [];
  if (nodes.size === 0) return { ...verdict, postFilters };
  let { message } = verdict;
  for (const plugin of profile.postFilters) {
    const startedMs = meter?.now() ?? 0;
    const result = plugin.postFilter({ pod, nominatedNode, nominations, nodes, profile, refusal: verdict });
    const status = result.type === "nominate" ? "Success" : "Unschedulable";
    meter?.point("PostFilter", status, startedMs);
    if (meter?.measuresPlugins) meter.plugin(plugin.name, "PostFilter", status, startedMs);
    postFilters.push({ plugin: plugin.name, result });
    if (result.type === "nominate") break;
    message += postFilterText(result.message);
  }
  return { ...verdict, message, postFilters };
}
