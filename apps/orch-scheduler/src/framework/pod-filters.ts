import type { NodeTable } from "../cache/node-table.ts";
import type { Nominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { CycleMeter } from "./cycle-meter.ts";
import { CycleState } from "./cycle-state.ts";
import { type NodeFilter, neverOutdated, type Plugin, type Reason } from "./interfaces.ts";
import { pluginError } from "./plugin-error.ts";
import { type PreparedFilter, type PreparedFilters, prepareFilters, type Rejection } from "./prepare-filters.ts";
import type { Profile } from "./profile.ts";

/** The first plugin that rejects a node, and why. */
export interface NodeRefusal {
  readonly plugin: Plugin;
  /** Not empty. */
  readonly reasons: readonly Reason[];
}

function firstRefusal(prepared: readonly PreparedFilter[], slot: number): NodeRefusal | undefined {
  for (const { plugin, filter } of prepared) {
    const first = filter.check(slot);
    if (first !== 0) return refusalFor({ plugin, filter }, filter.checkAll?.(slot) ?? [first]);
  }
  return undefined;
}

/** The refusal with these results of a filter's checks. */
export function refusalFor({ plugin, filter }: PreparedFilter, verdicts: readonly number[]): NodeRefusal {
  const reasons = verdicts.flatMap((verdict) => filter.reasons[verdict - 1] ?? []);
  return { plugin, reasons: reasons.length > 0 ? reasons : [{ text: plugin.name, evictionHelps: false }] };
}

/**
 * The filters of a profile that apply to a pod, prepared for the current node table.
 *
 * A node with nominated pods of equal or higher priority must pass twice: with them, because they need their resources, and without
 * them, because they may never arrive and affinity must not depend on them.
 */
export class PodFilters {
  /** What the plugins wrote, for the points that follow. */
  readonly state: CycleState;
  readonly #pod: PodInfo;
  readonly #nodes: NodeTable;
  readonly #profile: Profile;
  readonly #prepared: PreparedFilters;
  /** The checks alone, for the loop over all nodes. */
  readonly #checks: readonly NodeFilter[];
  /** Those of the checks that count pods themselves. */
  readonly #following: readonly NodeFilter[];
  /** Their `podChanged`. */
  readonly #followers: readonly ((slot: number, info: PodInfo, sign: 1 | -1) => void)[];
  /** The same for pods that are alike; undefined if one of them cannot do that. */
  readonly #groupFollowers: readonly ((slot: number, example: PodInfo, count: number) => void)[] | undefined;
  /** Number of nodes that each check rejected, in the order of the checks. */
  readonly #rejections: number[];
  /** By slot. */
  readonly #nominated: ReadonlyMap<number, readonly PodInfo[]>;
  #tries: boolean | undefined;

  private constructor(
    pod: PodInfo,
    nodes: NodeTable,
    profile: Profile,
    prepared: PreparedFilters,
    nominated: ReadonlyMap<number, readonly PodInfo[]>,
    state: CycleState,
  ) {
    this.state = state;
    this.#pod = pod;
    this.#nodes = nodes;
    this.#profile = profile;
    this.#prepared = prepared;
    this.#checks = prepared.filters.map(({ filter }) => filter);
    const following = this.#checks.filter(({ podChanged }) => typeof podChanged === "function");
    this.#following = following;
    this.#followers = following.flatMap(({ podChanged }) => (typeof podChanged === "function" ? podChanged : []));
    const ofGroups = following.flatMap(({ podsChanged }) => podsChanged ?? []);
    this.#groupFollowers = ofGroups.length === following.length ? ofGroups : undefined;
    this.#rejections = prepared.filters.map(() => 0);
    this.#nominated = nominated;
  }

  /** Prepares every filter, or returns the refusal of the whole pod. */
  static prepare(
    pod: PodInfo,
    nodes: NodeTable,
    profile: Profile,
    nominations: Nominations,
    meter?: CycleMeter,
  ): PodFilters | Rejection {
    const state = new CycleState();
    const prepared = prepareFilters(pod, nodes, profile, state, meter);
    if ("rejected" in prepared) return prepared;
    const nominated = new Map<number, readonly PodInfo[]>();
    for (const [node, pods] of nominations.ahead(pod)) {
      const slot = nodes.slotOf(node);
      // A nominated pod that is already assumed there is counted anyway.
      const absent = pods.filter(({ key }) => !nodes.podOn(node, key));
      if (slot !== undefined && absent.length > 0) nominated.set(slot, absent);
    }
    return new PodFilters(pod, nodes, profile, prepared, nominated, state);
  }

  /** The only nodes that may fit, by name; undefined: all. */
  get nodeNames(): ReadonlySet<string> | undefined {
    return this.#prepared.nodeNames;
  }

  /** Whether a node passes every filter. It allocates no memory for nodes without nominated pods. */
  passes(slot: number): boolean {
    const checks = this.#checks;
    for (let c = 0; c < checks.length; c++)
      if (checks[c]?.check(slot) !== 0) {
        this.#rejections[c] = (this.#rejections[c] ?? 0) + 1;
        return false;
      }
    return this.#nominated.size === 0 || this.#passesWithNominated(slot);
  }

  /** The error of the filter that failed for a node, which it names. */
  failure(slot: number, cause: unknown): unknown {
    for (const { plugin, filter } of this.#prepared.filters)
      try {
        filter.check(slot);
      } catch (error) {
        return pluginError(`"${plugin.name}" filter plugin`, error);
      }
    return cause;
  }

  /** Reports for how many nodes each plugin was called, when `passes` was called for `nodes` of them. */
  countCalls(nodes: number, meter: CycleMeter): void {
    let left = nodes;
    for (const [i, { plugin }] of this.#prepared.filters.entries()) {
      meter.filtered(plugin.name, left);
      left -= this.#rejections[i] ?? 0;
    }
  }

  /** Measures each plugin on one node. Its result does not count. */
  measure(slot: number, meter: CycleMeter): void {
    for (const { plugin, filter } of this.#prepared.filters) {
      const startedMs = meter.now();
      const verdict = filter.check(slot);
      meter.plugin(plugin.name, "Filter", verdict === 0 ? "Success" : "Unschedulable", startedMs);
      if (verdict !== 0) return;
    }
  }

  /** Whether {@link PodFilters.podChanged} keeps all filters up to date. */
  get followsPods(): boolean {
    return this.#checks.every(({ podChanged }) => podChanged !== undefined);
  }

  /**
   * Whether {@link PodFilters.tryPod} is enough for all filters. It is not if filters have to be prepared again for nominated pods:
   * that reads the table, which does not have the pods that are tried out.
   */
  get triesPods(): boolean {
    return this.#triesAmounts() && [...this.#nominated.values()].every((added) => this.#canTry(added));
  }

  /** Whether filters count pods themselves: those about affinity and spreading. */
  get countsPods(): boolean {
    return this.#following.length > 0;
  }

  /** Whether a node passes the filters that count pods themselves. */
  passesCounting(slot: number): boolean {
    return this.#following.every((filter) => filter.check(slot) === 0);
  }

  /** Must be called when a pod was added to a node of the table (1), or removed from it (-1). */
  podChanged(slot: number, info: PodInfo, sign: 1 | -1): void {
    for (const changed of this.#followers) changed(slot, info, sign);
  }

  /** Tries a pod out on a node (1), or ends that (-1), or the other way round for one of its pods. The table stays as it is. */
  tryPod(slot: number, info: PodInfo, sign: 1 | -1): void {
    this.#nodes.tryPod(slot, info, sign);
    for (const changed of this.#followers) changed(slot, info, sign);
  }

  /** Whether {@link PodFilters.tryPods} may be used where {@link PodFilters.tryPod} may. */
  get triesGroups(): boolean {
    return this.#groupFollowers !== undefined;
  }

  /** {@link PodFilters.tryPod} for a number of pods that are alike: see `podsChanged` of filters. */
  tryPods(slot: number, example: PodInfo, count: number): void {
    this.#nodes.tryPod(slot, example, count);
    for (const changed of this.#groupFollowers ?? []) changed(slot, example, count);
  }

  /** Whether pods are nominated for a node that this pod must leave room for. */
  hasNominated(slot: number): boolean {
    return this.#nominated.has(slot);
  }

  /** Index of the first filter that rejects a node without its nominated pods; -1 if it passes. It allocates no memory. */
  firstRejecting(slot: number): number {
    const checks = this.#checks;
    for (let c = 0; c < checks.length; c++) if (checks[c]?.check(slot) !== 0) return c;
    return -1;
  }

  /** A filter that applies, by the index that {@link PodFilters.firstRejecting} returns. */
  filterAt(index: number): PreparedFilter | undefined {
    return this.#prepared.filters[index];
  }

  /** Why a node is rejected; undefined if it passes. Reasons caused by nominated pods come first. */
  refusalOf(slot: number): NodeRefusal | undefined {
    const nominated = this.#nominated.get(slot);
    const first =
      nominated === undefined
        ? undefined
        : this.#withNominated(slot, nominated, (prepared) =>
            "rejected" in prepared
              ? { plugin: prepared.plugin, reasons: [{ text: prepared.rejected, evictionHelps: false }] }
              : firstRefusal(prepared.filters, slot),
          );
    return first ?? firstRefusal(this.#prepared.filters, slot);
  }

  #passesWithNominated(slot: number): boolean {
    const nominated = this.#nominated.get(slot);
    if (nominated === undefined) return true;
    return this.#withNominated(
      slot,
      nominated,
      (prepared) => !("rejected" in prepared) && prepared.filters.every(({ filter }) => filter.check(slot) === 0),
    );
  }

  /**
   * Runs a check while the nominated pods are counted on the node. Filters that cannot take them into account are prepared
   * again.
   */
  #withNominated<T>(
    slot: number,
    nominated: readonly PodInfo[],
    check: (prepared: PreparedFilters | Rejection) => T,
  ): T {
    if (this.#canTry(nominated)) {
      for (const info of nominated) this.tryPod(slot, info, 1);
      try {
        return check(this.#prepared);
      } finally {
        for (const info of nominated) this.tryPod(slot, info, -1);
      }
    }
    const node = this.#nodes.nameOf(slot);
    for (const info of nominated) this.#nodes.addPod(node, info);
    try {
      return check(prepareFilters(this.#pod, this.#nodes, this.#profile, new CycleState()));
    } finally {
      for (const { key } of nominated) this.#nodes.removePod(node, key);
    }
  }

  #triesAmounts(): boolean {
    this.#tries ??= this.followsPods && this.#checks.every(({ readsAmountsOnly }) => readsAmountsOnly === true);
    return this.#tries;
  }

  #canTry(added: readonly PodInfo[]): boolean {
    if (!this.#triesAmounts()) return false;
    const outdating = outdatingOf(this.#profile);
    return outdating?.every((isOutdated) => !added.some((info) => isOutdated(this.#pod, info))) === true;
  }
}

type Outdating = NonNullable<Plugin["outdatedBy"]>;

const known = new WeakMap<Profile, readonly Outdating[] | undefined>();

/** What may say that filters have to be prepared again for an added pod; undefined if there is a plugin that does not say it. */
function outdatingOf(profile: Profile): readonly Outdating[] | undefined {
  if (known.has(profile)) return known.get(profile);
  const plugins: readonly Plugin[] = [...profile.filters, ...profile.preFilters];
  const all = new Set(plugins.map(({ outdatedBy }) => outdatedBy));
  all.delete(neverOutdated);
  const outdating = [...all].flatMap((outdatedBy) => outdatedBy ?? []);
  const found = all.has(undefined) ? undefined : outdating;
  known.set(profile, found);
  return found;
}
