import type { core } from "@orchernetes/api";

/** The values of one label over all nodes, as small numbers. */
export interface Topology {
  /** By slot: the number of the node's value, from 1; 0 for nodes without the label. */
  readonly domains: Int32Array;
  /** One past the highest number. */
  readonly count: number;
}

/** Limit of cached labels: pods name them. */
const MAX_KEYS = 64;

/** Topologies by label key, computed on first use and dropped when labels change. */
export class Topologies {
  readonly #byKey = new Map<string, Topology>();

  clear(): void {
    this.#byKey.clear();
  }

  of(key: string, length: number, nodeAt: (slot: number) => core.Node | undefined): Topology {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= MAX_KEYS) this.#byKey.clear();
    const domains = new Int32Array(length);
    const ids = new Map<string, number>();
    for (let slot = 0; slot < length; slot++) {
      const labels = nodeAt(slot)?.metadata.labels;
      if (labels === undefined || !Object.hasOwn(labels, key)) continue;
      const value = labels[key] ?? "";
      let id = ids.get(value);
      if (id === undefined) {
        id = ids.size + 1;
        ids.set(value, id);
      }
      domains[slot] = id;
    }
    const topology = { domains, count: ids.size + 1 };
    this.#byKey.set(key, topology);
    return topology;
  }
}
