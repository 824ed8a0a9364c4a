/** For how many nodes a time to live applies. */
interface Step {
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly ttlSeconds: number;
}

/** The steps overlap, so that a cluster at a border does not change all its nodes back and forth. */
const steps: readonly Step[] = [
  { minNodes: 0, maxNodes: 100, ttlSeconds: 0 },
  { minNodes: 90, maxNodes: 500, ttlSeconds: 15 },
  { minNodes: 450, maxNodes: 1000, ttlSeconds: 30 },
  { minNodes: 900, maxNodes: 2000, ttlSeconds: 60 },
  { minNodes: 1800, maxNodes: Number.POSITIVE_INFINITY, ttlSeconds: 300 },
];

/** Counts nodes, and chooses for how long nodes may cache objects: the more nodes, the longer, to spare the API server. */
export class ClusterSize {
  #nodes = 0;
  #step = 0;

  /** Seconds for which nodes may cache objects. */
  get ttlSeconds(): number {
    return steps[this.#step]?.ttlSeconds ?? 0;
  }

  added(): void {
    this.#nodes += 1;
    if (this.#nodes > (steps[this.#step]?.maxNodes ?? 0)) this.#step += 1;
  }

  removed(): void {
    this.#nodes -= 1;
    if (this.#nodes < (steps[this.#step]?.minNodes ?? 0)) this.#step -= 1;
  }
}
