import type { LabelPair, PodClass } from "./pod-class.ts";

/**
 * Number of matching pods on each node. Kept up to date while the query is cached; read it within one scheduling cycle.
 */
export interface PodCount {
  /** By slot. */
  readonly counts: Int32Array;
  /** Over all nodes. */
  readonly total: number;
}

/** The pods to count. Equal keys must mean equal queries. */
export interface PodQuery {
  readonly key: string;
  readonly namespaces: readonly string[];
  /** Whether pods of all namespaces are counted, also of those that are not named, or not known yet. @default false */
  readonly everywhere?: boolean;
  /** Labels that every matched pod has. Used only as an index: `matches` checks them, too. */
  readonly labels: readonly LabelPair[];
  /** Called only for pods in one of the namespaces, or everywhere. */
  readonly matches: (pods: PodClass) => boolean;
}

interface Entry {
  readonly query: PodQuery;
  readonly indexKeys: readonly string[];
  counts: Int32Array;
  total: number;
  /** Number of the groups that it matches. */
  links: number;
  isDropped: boolean;
}

/** The pods of one class, and the queries that count them. */
interface Group {
  readonly podClass: PodClass;
  /** Pods by slot; only slots that have some. */
  readonly counts: Map<number, number>;
  /** Dropped ones stay until the list is compacted. */
  entries: Entry[];
  /** Length of the list at which it is compacted. */
  compactAt: number;
}

/** Memory limit for the counts of all queries, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Limit of the pairs of a cached query and a class that it matches: a pod's terms may match all classes. */
const MAX_LINKS = 8_000_000;
const MIN_COMPACT = 16;
/** Number of queries that are cached regardless of the cluster's size. */
const MIN_QUERIES = 64;

/** A multimap; keys without values are removed. */
class Multimap<T> {
  readonly #sets = new Map<string, Set<T>>();

  get(key: string): ReadonlySet<T> {
    return this.#sets.get(key) ?? (NONE as ReadonlySet<never>);
  }

  add(key: string, value: T): void {
    const values = this.#sets.get(key);
    if (values === undefined) this.#sets.set(key, new Set([value]));
    else values.add(value);
  }

  delete(key: string, value: T): void {
    const values = this.#sets.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#sets.delete(key);
  }
}

const NONE: ReadonlySet<never> = new Set();
const NO_COUNTS = new Int32Array();

const pairKey = (namespace: string, [key, value]: LabelPair): string => `${namespace}/${key}=${value}`;

/** Index keys of a class of pods: its namespace, and each of its labels. */
const keysOf = ({ namespace, labels }: PodClass): readonly string[] => [
  namespace,
  ...Object.entries(labels ?? {}).map((pair) => pairKey(namespace, pair)),
];

/**
 * Counts of pods per node by label queries, for spread constraints and affinity.
 *
 * Pods of one template form one class, and both classes and queries are indexed by namespace and label. The first use
 * of a query visits the classes that have one of its labels; adding or removing a pod updates the queries of its class
 * without matching. Neither cost depends on the number of templates or pods.
 */
export class PodCounts {
  readonly #groups = new Map<string, Group>();
  readonly #groupsBy = new Multimap<Group>();
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #entriesBy = new Multimap<Entry>();
  /** Those of queries about all namespaces. They are rare, so that they are not worth an index. */
  readonly #entriesOfAll = new Set<Entry>();
  #links = 0;

  /** Number of classes. */
  get kinds(): number {
    return this.#groups.size;
  }

  /** Adjusts every query that a pod matches. */
  count(slot: number, podClass: PodClass, sign: 1 | -1): void {
    const group = this.#groups.get(podClass.key) ?? this.#makeGroup(podClass);
    const count = (group.counts.get(slot) ?? 0) + sign;
    if (count === 0) group.counts.delete(slot);
    else group.counts.set(slot, count);
    for (const entry of group.entries) {
      if (entry.isDropped) continue;
      entry.counts[slot] = (entry.counts[slot] ?? 0) + sign;
      entry.total += sign;
    }
    if (group.counts.size === 0) this.#dropGroup(group);
  }

  /**
   * The count of a query, created on first use.
   *
   * @param capacity number of slots
   */
  of(query: PodQuery, capacity: number): PodCount {
    let entry = this.#entries.get(query.key);
    if (entry === undefined) entry = this.#makeEntry(query, capacity);
    else this.#entries.delete(query.key);
    // Reinserted at the end, so that the first entry is the least recently used.
    this.#entries.set(query.key, entry);
    for (const oldest of this.#entries.values()) {
      if (this.#links <= MAX_LINKS || oldest === entry) break;
      this.#dropEntry(oldest);
    }
    return entry;
  }

  /** Extends all counts when the node table grows. */
  grow(capacity: number): void {
    for (const entry of this.#entries.values()) {
      const counts = new Int32Array(capacity);
      counts.set(entry.counts);
      entry.counts = counts;
    }
  }

  #makeGroup(podClass: PodClass): Group {
    const group: Group = { podClass, counts: new Map(), entries: [], compactAt: MIN_COMPACT };
    this.#groups.set(podClass.key, group);
    for (const entry of this.#entriesOfAll) if (entry.query.matches(podClass)) this.#link(group, entry);
    for (const key of keysOf(podClass)) {
      this.#groupsBy.add(key, group);
      for (const entry of this.#entriesBy.get(key)) if (entry.query.matches(podClass)) this.#link(group, entry);
    }
    return group;
  }

  #link(group: Group, entry: Entry): void {
    if (group.entries.length >= group.compactAt) {
      group.entries = group.entries.filter(({ isDropped }) => !isDropped);
      group.compactAt = Math.max(MIN_COMPACT, 2 * group.entries.length);
    }
    group.entries.push(entry);
    entry.links++;
    this.#links++;
  }

  /** Counts the pods of a class for a query, if it matches them. */
  #join(entry: Entry, group: Group): void {
    if (!entry.query.matches(group.podClass)) return;
    this.#link(group, entry);
    for (const [slot, count] of group.counts) {
      entry.counts[slot] = (entry.counts[slot] ?? 0) + count;
      entry.total += count;
    }
  }

  #dropGroup(group: Group): void {
    for (const entry of group.entries) {
      if (entry.isDropped) continue;
      entry.links--;
      this.#links--;
    }
    this.#groups.delete(group.podClass.key);
    for (const key of keysOf(group.podClass)) this.#groupsBy.delete(key, group);
  }

  /** The smallest set of groups in a namespace that contains all matches of the query there, by its key in the index. */
  #narrowest({ labels }: PodQuery, namespace: string): string {
    let best = namespace;
    for (const pair of labels) {
      const key = pairKey(namespace, pair);
      if (best === namespace || this.#groupsBy.get(key).size < this.#groupsBy.get(best).size) best = key;
    }
    return best;
  }

  #makeEntry(query: PodQuery, capacity: number): Entry {
    const most = Math.max(MIN_QUERIES, Math.floor(MAX_BYTES / (capacity * Int32Array.BYTES_PER_ELEMENT)));
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size < most) break;
      this.#dropEntry(oldest);
    }
    const { everywhere = false } = query;
    const indexKeys = everywhere ? [] : query.namespaces.map((namespace) => this.#narrowest(query, namespace));
    const entry: Entry = { query, indexKeys, counts: new Int32Array(capacity), total: 0, links: 0, isDropped: false };
    for (const key of indexKeys) {
      this.#entriesBy.add(key, entry);
      for (const group of this.#groupsBy.get(key)) this.#join(entry, group);
    }
    if (everywhere) {
      this.#entriesOfAll.add(entry);
      for (const group of this.#groups.values()) this.#join(entry, group);
    }
    return entry;
  }

  #dropEntry(entry: Entry): void {
    this.#entries.delete(entry.query.key);
    this.#entriesOfAll.delete(entry);
    for (const key of entry.indexKeys) this.#entriesBy.delete(key, entry);
    entry.isDropped = true;
    this.#links -= entry.links;
    // Lists of groups hold the entry for a while, but not its counts.
    entry.counts = NO_COUNTS;
  }
}
