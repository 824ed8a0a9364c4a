import type { PodInfo } from "./pod-info.ts";

/** How many pods of a kind are on each node. Kept up to date while it is in use; read within one scheduling cycle. */
export interface PodCount {
  /** By slot. */
  readonly counts: Int32Array;
  /** Over all nodes. */
  readonly total: number;
}

/** Which pods to count. Must depend on the pod alone; equal keys must mean equal predicates. */
export interface PodQuery {
  readonly key: string;
  readonly namespaces: readonly string[];
  /** Asked only of pods in one of the namespaces. */
  readonly matches: (pod: PodInfo) => boolean;
}

interface Entry {
  readonly query: PodQuery;
  counts: Int32Array;
  total: number;
}

/** Queries remembered; the pods of one template share them. */
const MAX_QUERIES = 256;

/**
 * Counts of pods per node by label queries. The first use of a query visits all pods; from then on every pod that comes or
 * goes adjusts it, so that a scheduling cycle never looks at single pods.
 */
export class PodCounts {
  readonly #entries = new Map<string, Entry>();
  readonly #byNamespace = new Map<string, Set<Entry>>();

  /** Adjusts every query that a pod matches. */
  count(slot: number, pod: PodInfo, sign: 1 | -1): void {
    const entries = this.#byNamespace.get(pod.namespace);
    if (entries === undefined) return;
    for (const entry of entries) {
      if (!entry.query.matches(pod)) continue;
      entry.counts[slot] = (entry.counts[slot] ?? 0) + sign;
      entry.total += sign;
    }
  }

  /**
   * The count of a query, made on first use.
   *
   * @param capacity slots there may be
   * @param pods all pods on nodes, with their slots
   */
  of(query: PodQuery, capacity: number, pods: () => Iterable<readonly [number, PodInfo]>): PodCount {
    let entry = this.#entries.get(query.key);
    if (entry === undefined) entry = this.#make(query, capacity, pods());
    else this.#entries.delete(query.key);
    // Reinserted at the end: the first of the map is the one unused for longest.
    this.#entries.set(query.key, entry);
    return entry;
  }

  grow(capacity: number): void {
    for (const entry of this.#entries.values()) {
      const counts = new Int32Array(capacity);
      counts.set(entry.counts);
      entry.counts = counts;
    }
  }

  #make(query: PodQuery, capacity: number, pods: Iterable<readonly [number, PodInfo]>): Entry {
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size < MAX_QUERIES) break;
      this.#drop(oldest);
    }
    const entry: Entry = { query, counts: new Int32Array(capacity), total: 0 };
    for (const namespace of query.namespaces) {
      const entries = this.#byNamespace.get(namespace) ?? new Set<Entry>();
      this.#byNamespace.set(namespace, entries.add(entry));
    }
    const wanted = new Set(query.namespaces);
    for (const [slot, pod] of pods) {
      if (!wanted.has(pod.namespace) || !query.matches(pod)) continue;
      entry.counts[slot] = (entry.counts[slot] ?? 0) + 1;
      entry.total++;
    }
    return entry;
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.query.key);
    for (const namespace of entry.query.namespaces) {
      const entries = this.#byNamespace.get(namespace);
      entries?.delete(entry);
      if (entries?.size === 0) this.#byNamespace.delete(namespace);
    }
  }
}
