import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { PointStatus } from "./cycle-meter.ts";
import type { Refusal } from "./explain-refusal.ts";
import type { Plugin, PostFilterResult } from "./interfaces.ts";
import { measurePlugin, measurePoint } from "./measure.ts";
import { pluginError } from "./plugin-error.ts";
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
  if (nodes.size === 0 || profile.postFilters.length === 0) return { ...verdict, postFilters };
  const failure = { pod, nominatedNode, nominations, nodes, profile, refusal: verdict };
  const run = (): boolean => {
    for (const plugin of profile.postFilters) {
      const call = () => postFilterOf(plugin, () => plugin.postFilter(failure));
      const result = measurePlugin(meter, plugin, "PostFilter", call, postFilterStatus);
      postFilters.push({ plugin: plugin.name, result });
      if (result.type === "nominate") return true;
    }
    return false;
  };
  measurePoint(meter, "PostFilter", run, (isNominated) => (isNominated ? "Success" : "Unschedulable"));
  return withPostFilters(verdict, postFilters);
}

/** @throws Error that names the plugin, if the plugin fails */
function postFilterOf<T>(plugin: Plugin, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw pluginError(`PostFilter plugin "${plugin.name}"`, cause);
  }
}

const postFilterStatus = ({ type }: PostFilterResult): PointStatus =>
  type === "nominate" ? "Success" : "Unschedulable";

/**
 * A refusal with what the post-filters say to it. If none of them nominates a node, their messages come after that of the refusal.
 * The period comes after their own, as in the original.
 */
export function withPostFilters(refusal: Refusal, postFilters: readonly PostFilterVerdict[]): Unschedulable {
  const messages = postFilters.flatMap(({ result }) => (result.type === "none" ? result.message : []));
  const isNominated = messages.length < postFilters.length;
  const text = isNominated || messages.length === 0 ? "" : ` ${messages.join(", ")}.`;
  return { ...refusal, message: `${refusal.message}${text}`, postFilters };
}
