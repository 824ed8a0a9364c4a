import type { CidrSet } from "./cidr-set.ts";
import { contains, type Network, parseNetwork } from "./network.ts";

/** A source of ranges: a node gets one of each set, in their order. */
export interface Pool {
  readonly name: string;
  readonly sets: readonly CidrSet[];
  /** Whether nodes can get ranges of it. */
  readonly isOpen: boolean;
}

/** What a node uses. */
interface Held {
  readonly networks: readonly Network[];
  /** Those of them that lie within a set of some pool, and so are marked as used. */
  readonly marked: Set<Network>;
  /** Name of the pool that it is from. */
  readonly pool: string | undefined;
}

/**
 * Which node uses which ranges. Every range in use is marked in all pools, so that pools may overlap. A range that lies within
 * no pool is not marked, also if it covers one: a single node with `0.0.0.0/0` would leave none for the others. A node that asks again
 * before it has been written gets the same ranges: an outcome that is not known then does no harm.
 */
export class NodeRanges {
  readonly #pools = new Map<string, Pool>();
  readonly #nodes = new Map<string, Held>();
  readonly #reserved: readonly Network[];

  /** @param reserved what no node may get: the addresses of services */
  constructor(reserved: readonly Network[]) {
    this.#reserved = reserved;
  }

  /** Adds a pool; nothing happens if there is one of that name. */
  addPool(pool: Pool): void {
    if (this.#pools.has(pool.name)) return;
    this.#pools.set(pool.name, pool);
    for (const set of pool.sets) {
      for (const network of this.#reserved) set.occupy(network);
      for (const { marked } of this.#nodes.values()) for (const network of marked) set.occupy(network);
    }
    // Ranges that were outside of all pools so far.
    for (const held of this.#nodes.values()) this.#mark(held, pool.sets);
  }

  removePool(name: string): void {
    this.#pools.delete(name);
  }

  /** Whether there are no pools yet, so that ranges of nodes cannot be judged. */
  get isEmpty(): boolean {
    return this.#pools.size === 0;
  }

  /** Whether a node has ranges of the pool. */
  isUsed(pool: string): boolean {
    for (const held of this.#nodes.values()) if (held.pool === pool) return true;
    return false;
  }

  /**
   * Ranges for a node, from the first of the open pools that has some; undefined if none has.
   *
   * @param pools in the order of preference
   */
  allocate(node: string, pools: readonly Pool[]): readonly string[] | undefined {
    const held = this.#nodes.get(node);
    if (held !== undefined) return held.networks.map(({ text }) => text);
    for (const pool of pools) {
      if (!pool.isOpen) continue;
      const networks = pool.sets.map((set) => set.next());
      if (networks.length === 0 || networks.includes(undefined)) continue;
      const found = networks.filter((network) => network !== undefined);
      this.#hold(node, found, pool.name);
      return found.map(({ text }) => text);
    }
    return undefined;
  }

  /**
   * Records the ranges that a node has. Those that it was given before are free again.
   *
   * @param pools that the node may have its ranges from, in the order of preference
   * @returns the ranges that are not valid, or of no pool
   */
  occupy(node: string, cidrs: readonly string[], pools: readonly Pool[]): readonly string[] {
    const networks = cidrs.flatMap((cidr) => parseNetwork(cidr) ?? []);
    const isOf = (pool: Pool): boolean =>
      networks.every((network) => pool.sets.some(({ range }) => contains(range, network)));
    const known = this.#nodes.get(node);
    const pool = pools.find(isOf)?.name;
    const same = known?.networks.map(({ text }) => text).join() === networks.map(({ text }) => text).join();
    // The pool that the ranges were given from stays theirs, although another one may be preferred by now.
    if (!same || (known?.pool === undefined && pool !== undefined)) {
      this.release(node);
      if (networks.length > 0) this.#hold(node, networks, pool);
    }
    const all = this.#sets();
    return cidrs.filter((cidr) => {
      const network = parseNetwork(cidr);
      return network === undefined || !isWithin(all, network);
    });
  }

  /** Frees the ranges of a node. */
  release(node: string): void {
    const held = this.#nodes.get(node);
    if (held === undefined) return;
    this.#nodes.delete(node);
    for (const set of this.#sets()) for (const network of held.marked) set.release(network);
  }

  #hold(node: string, networks: readonly Network[], pool: string | undefined): void {
    const held: Held = { networks, marked: new Set(), pool };
    this.#nodes.set(node, held);
    this.#mark(held, this.#sets());
  }

  /** Marks those of the holder's ranges in all pools that lie within one of the sets and are not marked yet. */
  #mark({ networks, marked }: Held, sets: readonly CidrSet[]): void {
    for (const network of networks) {
      if (marked.has(network) || !isWithin(sets, network)) continue;
      marked.add(network);
      for (const set of this.#sets()) set.occupy(network);
    }
  }

  #sets(): readonly CidrSet[] {
    return [...this.#pools.values()].flatMap(({ sets }) => sets);
  }
}

const isWithin = (sets: readonly CidrSet[], network: Network): boolean =>
  sets.some(({ range }) => contains(range, network));
