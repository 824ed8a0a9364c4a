import type { NodeTable } from "../cache/node-table.ts";
import type { Nominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { CycleState } from "../framework/cycle-state.ts";
import type { NodeFilter } from "../framework/interfaces.ts";
import type { Profile } from "../framework/profile.ts";
import type { NodeVerdict, PluginRefusal } from "./explanation.ts";

interface Prepared {
  readonly plugin: string;
  readonly filter: NodeFilter;
}

/** A plugin's rejection of the pod without regard to nodes. */
export interface PluginRejection {
  readonly plugin: string;
  readonly message: string;
}

interface PreparedFilters {
  readonly filters: readonly Prepared[];
  readonly rejections: readonly PluginRejection[];
}

/** Prepares every filter. Unlike a decision, it does not stop at a filter that rejects the pod. */
function prepareAll(pod: PodInfo, nodes: NodeTable, profile: Profile): PreparedFilters {
  const filters: Prepared[] = [];
  const rejections: PluginRejection[] = [];
  const state = new CycleState();
  const skipped = new Set<string>();
  for (const plugin of profile.preFilters) {
    const result = plugin.preFilter(pod, nodes, state);
    if (typeof result === "object" && "rejected" in result)
      rejections.push({ plugin: plugin.name, message: result.rejected });
    if (typeof result === "object" ? "rejected" in result : result === "skip") skipped.add(plugin.name);
  }
  for (const plugin of profile.filters) {
    if (skipped.has(plugin.name)) continue;
    const filter = plugin.filter(pod, nodes, state);
    if (filter === undefined) continue;
    if ("rejected" in filter) rejections.push({ plugin: plugin.name, message: filter.rejected });
    else filters.push({ plugin: plugin.name, filter });
  }
  return { filters, rejections };
}

function refusalsOf(filters: readonly Prepared[], slot: number): readonly PluginRefusal[] {
  return filters.flatMap(({ plugin, filter }): readonly PluginRefusal[] => {
    const first = filter.check(slot);
    if (first === 0) return [];
    const reasons = (filter.checkAll?.(slot) ?? [first]).flatMap((verdict) => filter.reasons[verdict - 1] ?? []);
    return [
      {
        plugin,
        reasons: reasons.length === 0 ? [plugin] : reasons.map(({ text }) => text),
        evictionHelps: reasons.length > 0 && reasons.every(({ evictionHelps }) => evictionHelps),
        shortfalls: filter.shortfalls?.(slot) ?? [],
      },
    ];
  });
}

/**
 * Runs every filter for nodes, including those after the first that rejects one. Valid until the table changes: create another one
 * for each turn of the event loop.
 */
export class NodeChecker {
  readonly #pod: PodInfo;
  readonly #nodes: NodeTable;
  readonly #profile: Profile;
  readonly #ahead: ReadonlyMap<string, readonly PodInfo[]>;
  readonly #prepared: PreparedFilters;

  constructor(pod: PodInfo, nodes: NodeTable, profile: Profile, nominations: Nominations) {
    this.#pod = pod;
    this.#nodes = nodes;
    this.#profile = profile;
    this.#ahead = nominations.ahead(pod);
    this.#prepared = prepareAll(pod, nodes, profile);
  }

  get rejections(): readonly PluginRejection[] {
    return this.#prepared.rejections;
  }

  verdict(slot: number): NodeVerdict {
    const node = this.#nodes.nameOf(slot);
    const refusals = refusalsOf(this.#prepared.filters, slot);
    const ahead = (this.#ahead.get(node) ?? []).filter(({ key }) => !this.#nodes.podOn(node, key));
    if (ahead.length === 0) return { node, refusals, keptFor: [] };
    // As in a decision, refusals because of nominated pods come first.
    const crowded = this.#withPods(node, ahead, () =>
      refusalsOf(prepareAll(this.#pod, this.#nodes, this.#profile).filters, slot),
    );
    if (crowded.length === 0) return { node, refusals, keptFor: [] };
    return { node, refusals: crowded, keptFor: refusals.length === 0 ? ahead.map(({ key }) => key) : [] };
  }

  #withPods<T>(node: string, pods: readonly PodInfo[], work: () => T): T {
    for (const info of pods) this.#nodes.addPod(node, info);
    try {
      return work();
    } finally {
      for (const { key } of pods) this.#nodes.removePod(node, key);
    }
  }
}
