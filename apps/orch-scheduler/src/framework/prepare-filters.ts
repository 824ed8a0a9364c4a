import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { CycleMeter, PointStatus } from "./cycle-meter.ts";
import type { CycleState } from "./cycle-state.ts";
import type { FilterPlugin, NodeFilter, Plugin, PreFilterPlugin, PreFilterResult } from "./interfaces.ts";
import { measurePlugin } from "./measure.ts";
import { pluginError } from "./plugin-error.ts";
import type { Profile } from "./profile.ts";

/** A plugin rejected the pod before any node was examined. */
export interface Rejection {
  readonly plugin: Plugin;
  readonly rejected: string;
  /** Plugins that named nodes of which `plugin` allows none. @default there are none */
  readonly others?: readonly Plugin[];
}

/** A filter that applies to the pod. */
export interface PreparedFilter {
  readonly plugin: Plugin;
  readonly filter: NodeFilter;
}

/** The filters that apply to the pod. */
export interface PreparedFilters {
  readonly filters: readonly PreparedFilter[];
  /** The only nodes that may fit; undefined: all. Not empty. */
  readonly nodeNames: ReadonlySet<string> | undefined;
}

/** The result of PreFilter. */
interface PreFiltered {
  readonly skipped: ReadonlySet<string>;
  readonly nodeNames: ReadonlySet<string> | undefined;
}

function runPreFilters(
  pod: PodInfo,
  nodes: NodeTable,
  { preFilters }: Profile,
  state: CycleState,
  meter: CycleMeter | undefined,
): PreFiltered | Rejection {
  const skipped = new Set<string>();
  const restricting: Plugin[] = [];
  let nodeNames: ReadonlySet<string> | undefined;
  for (let i = 0; i < preFilters.length; i++) {
    const plugin = preFilters[i] as PreFilterPlugin;
    const result = measurePlugin(meter, plugin, "PreFilter", () => preFilterOf(plugin, pod, nodes, state), statusOf);
    if (result === undefined) continue;
    if (result === "skip") {
      skipped.add(plugin.name);
      continue;
    }
    if ("nodeNames" in result) {
      restricting.push(plugin);
      nodeNames = nodeNames === undefined ? result.nodeNames : intersection(nodeNames, result.nodeNames);
      if (nodeNames.size > 0) continue;
    }
    meter?.preFiltered(i + 1);
    if ("rejected" in result) return { plugin, rejected: result.rejected };
    return { plugin, rejected: unsatisfied(restricting), others: restricting.filter((one) => one !== plugin) };
  }
  meter?.preFiltered(preFilters.length);
  return { skipped, nodeNames };
}

/** @throws Error that names the plugin, if the plugin fails */
function preFilterOf(plugin: PreFilterPlugin, pod: PodInfo, nodes: NodeTable, state: CycleState): PreFilterResult {
  try {
    return plugin.preFilter(pod, nodes, state);
  } catch (cause) {
    throw pluginError(`PreFilter plugin "${plugin.name}"`, cause);
  }
}

/** @throws Error that names the plugin, if the plugin fails */
function filterOf(plugin: FilterPlugin, pod: PodInfo, nodes: NodeTable, state: CycleState) {
  try {
    return plugin.filter(pod, nodes, state);
  } catch (cause) {
    throw pluginError(`"${plugin.name}" filter plugin`, cause);
  }
}

function statusOf(result: PreFilterResult): PointStatus {
  if (result === "skip") return "Skip";
  return result !== undefined && "rejected" in result ? "UnschedulableAndUnresolvable" : "Success";
}

/** Runs PreFilter, and prepares those filters that it does not leave out. */
export function prepareFilters(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
  state: CycleState,
  meter?: CycleMeter,
): PreparedFilters | Rejection {
  const before = runPreFilters(pod, nodes, profile, state, meter);
  if ("rejected" in before) return before;
  const { skipped, nodeNames } = before;
  const prepared: PreparedFilter[] = [];
  for (const plugin of profile.filters) {
    if (skipped.has(plugin.name)) continue;
    const filter = filterOf(plugin, pod, nodes, state);
    if (filter === undefined) continue;
    if ("rejected" in filter) return { plugin, rejected: filter.rejected };
    prepared.push({ plugin, filter });
  }
  return { filters: prepared, nodeNames };
}

const intersection = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...a].filter((name) => b.has(name)));

function unsatisfied(plugins: readonly Plugin[]): string {
  const [first] = plugins;
  if (plugins.length === 1) return `node(s) didn't satisfy plugin ${first?.name}`;
  return `node(s) didn't satisfy plugin(s) [${plugins.map(({ name }) => name).join(" ")}] simultaneously`;
}
