import type { PodInfo } from "../../cache/pod-info.ts";
import type { SchedulingFailure } from "../../framework/interfaces.ts";
import { type NodeRefusal, PodFilters } from "../../framework/pod-filters.ts";

/** Why a node without a reason of its own is no candidate. */
export const NO_VICTIMS: readonly string[] = ["No preemption victims found for incoming pod"];

/** Tries out which pods of a node have to leave. The caller ends as it began. */
export interface Trial {
  /** Adds a number of pods to a node, or removes them (below 0). They are alike; one at a time unless `takesGroups`. */
  readonly change: (slot: number, info: PodInfo, count: number) => void;
  /** Whether `change` takes several alike pods at once, and does the same for each of them. */
  readonly takesGroups: boolean;
  /** Whether other pods of the cluster than those of the node may decide, because of affinity or spreading. */
  readonly countsPods: boolean;
  /** Whether the pod passes the filters of a node as it is now. @throws Error that names the plugin whose filter fails */
  readonly fits: (slot: number) => boolean;
  /** Why it does not pass them. */
  readonly reasons: (slot: number) => readonly string[];
}

const textsOf = (refusal: NodeRefusal | undefined): readonly string[] =>
  refusal?.reasons.map(({ text }) => text) ?? NO_VICTIMS;

/** Whether a node passes. @throws Error that names the plugin whose filter fails */
function passes(filters: PodFilters, slot: number): boolean {
  try {
    return filters.passes(slot);
  } catch (cause) {
    throw filters.failure(slot, cause);
  }
}

/** A trial in the way that the filters support: without moving pods in the table if all of them can do that, else by moving them. */
export function trialOf({ pod, nodes, profile, nominations }: SchedulingFailure): Trial {
  const prepare = () => PodFilters.prepare(pod, nodes, profile, nominations);
  const move = (slot: number, info: PodInfo, count: number): void => {
    if (count > 0) nodes.addPod(nodes.nameOf(slot), info);
    else nodes.removePod(nodes.nameOf(slot), info.key);
  };
  const prepared = prepare();
  if ("rejected" in prepared || !prepared.followsPods)
    return {
      change: move,
      takesGroups: false,
      countsPods: false,
      fits(slot) {
        const filters = prepare();
        return !("rejected" in filters) && passes(filters, slot);
      },
      reasons(slot) {
        const filters = prepare();
        return "rejected" in filters ? [filters.rejected] : textsOf(filters.refusalOf(slot));
      },
    };
  const verdicts: Pick<Trial, "countsPods" | "fits" | "reasons"> = {
    countsPods: prepared.countsPods,
    fits: (slot) => passes(prepared, slot),
    reasons: (slot) => textsOf(prepared.refusalOf(slot)),
  };
  if (prepared.triesPods && prepared.triesGroups)
    return { change: (slot, info, count) => prepared.tryPods(slot, info, count), takesGroups: true, ...verdicts };
  const sign = (count: number) => (count > 0 ? 1 : -1);
  if (prepared.triesPods)
    return {
      change: (slot, info, count) => prepared.tryPod(slot, info, sign(count)),
      takesGroups: false,
      ...verdicts,
    };
  return {
    change(slot, info, count) {
      move(slot, info, count);
      prepared.podChanged(slot, info, sign(count));
    },
    takesGroups: false,
    ...verdicts,
  };
}
