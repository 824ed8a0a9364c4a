import { type Network, overlap, subnetOf, widthOf } from "./network.ts";

/** Receives the measurements of sets; `range` is the text of the set's range. */
export interface CidrSetMetrics {
  created(range: string, capacity: number): void;
  /** @param share of the ranges that are in use afterwards, from 0 to 1 */
  allocated(range: string, count: number, share: number): void;
  released(range: string, count: number, share: number): void;
  /** @param count ranges in use that were passed over before a free one was found */
  tried(range: string, count: number): void;
}

/** Ranges of a set that one holder uses, as numbers; both ends are included. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

/** Longest difference of the prefixes of an IPv6 range and of its nodes' ranges, as in the original. */
const maxIPv6Bits = 16;

/** Why a range cannot be split into ranges of this prefix; undefined if it can. */
export function splitProblem({ family, bits }: Network, nodeBits: number): string | undefined {
  if (nodeBits > widthOf(family)) return `an ${family} address has only ${widthOf(family)} bits`;
  if (nodeBits < bits) return "the range of a node would be larger than the whole range";
  if (family === "IPv6" && nodeBits - bits > maxIPv6Bits) {
    return `the prefixes of the range and of the ranges of nodes may differ by at most ${maxIPv6Bits} bits`;
  }
  return undefined;
}

/**
 * A range that is split into equal ones for nodes. Knows which of them are in use, by how many holders: networks of any size
 * can be occupied, and each occupied again. Memory depends on what is in use, not on the size of the range.
 */
export class CidrSet {
  readonly range: Network;
  /** Prefix of the ranges of nodes. */
  readonly nodeBits: number;
  /** Number of ranges. */
  readonly capacity: number;
  /** Holders of single ranges, the usual case. */
  readonly #single = new Map<number, number>();
  /** What covers several ranges: addresses of services, and nodes from a time with another prefix. */
  readonly #wide: Span[] = [];
  readonly #metrics: CidrSetMetrics;
  #next = 0;

  /** @param nodeBits for which {@link splitProblem} finds no problem */
  constructor(range: Network, nodeBits: number, metrics: CidrSetMetrics) {
    this.range = range;
    this.nodeBits = nodeBits;
    this.capacity = 2 ** (nodeBits - range.bits);
    this.#metrics = metrics;
    metrics.created(range.text, this.capacity);
  }

  /**
   * The next free range, which is not in use until it is occupied; undefined if there is none. The search goes on where the
   * last one ended, so that a range that was just released is not used again at once.
   */
  next(): Network | undefined {
    let candidate = this.#next;
    let tried = 0;
    while (tried < this.capacity) {
      const end = this.#endOfUse(candidate);
      if (end === undefined) {
        this.#next = (candidate + 1) % this.capacity;
        this.#metrics.tried(this.range.text, tried);
        return subnetOf(this.range, this.nodeBits, candidate);
      }
      tried += end + 1 - candidate;
      candidate = (end + 1) % this.capacity;
    }
    return undefined;
  }

  /** Marks what a network has in common with this range as used by one more holder. */
  occupy(network: Network): void {
    const span = this.#spanOf(network);
    if (span === undefined) return;
    const before = this.#used();
    const { begin, end } = span;
    if (begin === end) this.#single.set(begin, (this.#single.get(begin) ?? 0) + 1);
    else this.#wide.push(span);
    const used = this.#used();
    this.#metrics.allocated(this.range.text, used - before, used / this.capacity);
  }

  /** Undoes one {@link CidrSet.occupy} of the same network. */
  release(network: Network): void {
    const span = this.#spanOf(network);
    if (span === undefined) return;
    const before = this.#used();
    const { begin, end } = span;
    if (begin === end) {
      const others = (this.#single.get(begin) ?? 0) - 1;
      if (others > 0) this.#single.set(begin, others);
      else this.#single.delete(begin);
    } else {
      const at = this.#wide.findIndex((one) => one.begin === begin && one.end === end);
      if (at !== -1) this.#wide.splice(at, 1);
    }
    const used = this.#used();
    this.#metrics.released(this.range.text, before - used, used / this.capacity);
  }

  /** The last of the ranges in use from a number on; undefined if that one is free. */
  #endOfUse(number: number): number | undefined {
    const span = this.#wide.find(({ begin, end }) => begin <= number && number <= end);
    if (span !== undefined) return span.end;
    return this.#single.has(number) ? number : undefined;
  }

  /** The ranges that a network touches; undefined if it lies outside. */
  #spanOf(network: Network): Span | undefined {
    if (!overlap(this.range, network)) return undefined;
    const hostBits = BigInt(widthOf(this.range.family) - this.nodeBits);
    const number = (address: bigint) => Number((address - this.range.first) >> hostBits);
    const begin = network.first < this.range.first ? 0 : number(network.first);
    const end = network.last > this.range.last ? this.capacity - 1 : number(network.last);
    return { begin, end };
  }

  /** Number of ranges in use. */
  #used(): number {
    if (this.#wide.length === 0) return this.#single.size;
    let count = 0;
    let reached = -1;
    for (const { begin, end } of this.#wide.toSorted((a, b) => a.begin - b.begin)) {
      count += Math.max(0, end - Math.max(begin, reached + 1) + 1);
      reached = Math.max(reached, end);
    }
    for (const number of this.#single.keys()) {
      if (!this.#wide.some(({ begin, end }) => begin <= number && number <= end)) count += 1;
    }
    return count;
  }
}
