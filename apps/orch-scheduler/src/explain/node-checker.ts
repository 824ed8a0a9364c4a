import { messageOf } from "@orchernetes/kernel";
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

/** The only nodes that a plugin allows. */
interface Allowed {
  readonly plugin: string;
  readonly names: ReadonlySet<string>;
}

interface PreparedFilters {
  readonly filters: readonly Prepared[];
  readonly allowed: readonly Allowed[];
  readonly rejections: readonly PluginRejection[];
}

/** Calls a plugin, whose error becomes the result of `failed`: a plugin that fails ends a decision, but no explanation. */
function call<T, F>(work: () => T, failed: (message: string) => F): T | F {
  try {
    return work();
  } catch (error) {
    return failed(`the plugin fails: ${messageOf(error)}`);
  }
}

const rejection = (rejected: string) => ({ rejected });

/** Prepares every filter. Unlike a decision, it does not stop at a plugin that rejects the pod. */
function prepareAll(pod: PodInfo, nodes: NodeTable, profile: Profile): PreparedFilters {
  const filters: Prepared[] = [];
  const allowed: Allowed[] = [];
  const rejections: PluginRejection[] = [];
  const state = new CycleState();
  const skipped = new Set<string>();
  for (const plugin of profile.preFilters) {
    const { name } = plugin;
    const result = call(() => plugin.preFilter(pod, nodes, state), rejection);
    if (result === "skip") skipped.add(name);
    else if (result !== undefined && "nodeNames" in result) allowed.push({ plugin: name, names: result.nodeNames });
    else if (result !== undefined) {
      skipped.add(name);
      rejections.push({ plugin: name, message: result.rejected });
    }
  }
  for (const plugin of profile.filters) {
    if (skipped.has(plugin.name)) continue;
    const filter = call(() => plugin.filter(pod, nodes, state), rejection);
    if (filter === undefined) continue;
    if ("rejected" in filter) rejections.push({ plugin: plugin.name, message: filter.rejected });
    else filters.push({ plugin: plugin.name, filter });
  }
  return { filters, allowed, rejections };
}

/** A refusal that has no details. */
const plainRefusal = (plugin: string, reason: string): PluginRefusal => ({
  plugin,
  reasons: [reason],
  evictionHelps: false,
  shortfalls: [],
});

function refusalBy({ plugin, filter }: Prepared, slot: number): PluginRefusal | undefined {
  const first = filter.check(slot);
  if (first === 0) return undefined;
  const reasons = (filter.checkAll?.(slot) ?? [first]).flatMap((verdict) => filter.reasons[verdict - 1] ?? []);
  return {
    plugin,
    reasons: reasons.length === 0 ? [plugin] : reasons.map(({ text }) => text),
    evictionHelps: reasons.length > 0 && reasons.every(({ evictionHelps }) => evictionHelps),
    shortfalls: filter.shortfalls?.(slot) ?? [],
  };
}

function refusalsOf({ filters, allowed }: PreparedFilters, slot: number, node: string): readonly PluginRefusal[] {
  const refusals = filters.flatMap(
    (one) =>
      call(
        () => refusalBy(one, slot),
        (message) => plainRefusal(one.plugin, message),
      ) ?? [],
  );
  // Most plugins that name the nodes of a pod refuse the others by their filter, too.
  const others = allowed.filter(
    ({ plugin, names }) => !names.has(node) && !refusals.some((refusal) => refusal.plugin === plugin),
  );
  if (others.length === 0) return refusals;
  return [...others.map(({ plugin }) => plainRefusal(plugin, `node(s) didn't satisfy plugin ${plugin}`)), ...refusals];
}

/**
 * Runs every filter for nodes, including those after the first that rejects one. Valid until something changes that filters read:
 * then create another one.
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
    const refusals = refusalsOf(this.#prepared, slot, node);
    const ahead = (this.#ahead.get(node) ?? []).filter(({ key }) => !this.#nodes.podOn(node, key));
    if (ahead.length === 0) return { node, refusals, keptFor: [] };
    // As in a decision, refusals because of nominated pods come first.
    const crowded = this.#withPods(node, ahead, () =>
      refusalsOf(prepareAll(this.#pod, this.#nodes, this.#profile), slot, node),
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
