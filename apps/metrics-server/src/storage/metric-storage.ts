import type { MetricsBatch, PodPoints } from "./metrics-batch.ts";
import { type MetricsPoint, type Usage, usageBetween } from "./metrics-point.ts";

/** The usage of a container. */
interface ContainerUsage extends Usage {
  readonly name: string;
}

/** The usage of a pod: that of its containers, and the interval of the one that was read first. */
export interface PodUsage {
  readonly containers: readonly ContainerUsage[];
  readonly timestampMs: number;
  readonly windowMs: number;
}

/**
 * A container younger than this has no usage yet: the average since its start would be too inaccurate. In milliseconds.
 */
const MIN_AGE_MS = 10_000;

/** Two points of the same start, from which usage is computed. */
interface Pair {
  readonly last: MetricsPoint;
  /** Undefined until there is a second point. */
  readonly prev: MetricsPoint | undefined;
}

/**
 * The last two points of each node and container, as in the original metrics server. A node or pod that a reading does
 * not have is forgotten, so that nothing old is served.
 */
export class MetricStorage {
  readonly #resolutionMs: number;
  #nodes: ReadonlyMap<string, Pair> = new Map();
  #pods: ReadonlyMap<string, ReadonlyMap<string, Pair>> = new Map();

  /** @param resolutionMs interval between two readings */
  constructor({ resolutionMs }: { readonly resolutionMs: number }) {
    this.#resolutionMs = resolutionMs;
  }

  /** Takes over a reading. */
  store({ nodes, pods }: MetricsBatch): void {
    const nextNodes = new Map<string, Pair>();
    for (const [name, last] of nodes) nextNodes.set(name, { last, prev: formerPoint(last, this.#nodes.get(name)) });
    const nextPods = new Map<string, ReadonlyMap<string, Pair>>();
    for (const [key, points] of pods) nextPods.set(key, this.#nextPairs(points, this.#pods.get(key)));
    this.#nodes = nextNodes;
    this.#pods = nextPods;
  }

  #nextPairs(points: PodPoints, known: ReadonlyMap<string, Pair> | undefined): ReadonlyMap<string, Pair> {
    const pairs = new Map<string, Pair>();
    for (const [name, last] of points) pairs.set(name, { last, prev: this.#formerOf(last, known?.get(name)) });
    return pairs;
  }

  /** The point to compare a container's with: a young container's is its start, when its counter was 0. */
  #formerOf(last: MetricsPoint, known: Pair | undefined): MetricsPoint | undefined {
    const ageMs = last.timestampMs - last.startMs;
    if (last.startMs > 0 && ageMs >= MIN_AGE_MS && ageMs < this.#resolutionMs) {
      return { ...last, timestampMs: last.startMs, cpuSeconds: 0 };
    }
    // A container that was started again counts from 0 again.
    if (known === undefined || last.startMs >= known.last.timestampMs) return undefined;
    return formerPoint(last, known);
  }

  /** The usage of a node; undefined if it has no two points. */
  nodeUsage(name: string): Usage | undefined {
    const pair = this.#nodes.get(name);
    return pair?.prev && usageBetween(pair.prev, pair.last);
  }

  /**
   * The usage of a pod; undefined until each of its containers has two points. Containers whose points contradict each
   * other are left out.
   *
   * @param key `namespace/name`
   */
  podUsage(key: string): PodUsage | undefined {
    const containers: ContainerUsage[] = [];
    for (const [name, { prev, last }] of this.#pods.get(key) ?? []) {
      if (prev === undefined) return undefined;
      const usage = usageBetween(prev, last);
      if (usage !== undefined) containers.push({ name, ...usage });
    }
    const [first] = [...containers].sort((a, b) => a.timestampMs - b.timestampMs);
    if (first === undefined) return undefined;
    containers.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { containers, timestampMs: first.timestampMs, windowMs: first.windowMs };
  }

  /** Numbers of nodes and containers whose usage can be served. */
  points(): { readonly nodes: number; readonly containers: number } {
    let nodes = 0;
    for (const { prev } of this.#nodes.values()) if (prev !== undefined) nodes += 1;
    let containers = 0;
    for (const pairs of this.#pods.values()) {
      for (const { prev } of pairs.values()) if (prev !== undefined) containers += 1;
    }
    return { nodes, containers };
  }

  /** Whether there is usage of nodes and of pods. */
  isReady(): boolean {
    const { nodes, containers } = this.points();
    return nodes > 0 && containers > 0;
  }
}

/** The former point to compare a new one with. The same point may come twice: then the former one stays. */
function formerPoint(last: MetricsPoint, known: Pair | undefined): MetricsPoint | undefined {
  if (known === undefined) return undefined;
  if (last.timestampMs > known.last.timestampMs) return known.last;
  const { prev } = known;
  return prev !== undefined && prev.timestampMs < last.timestampMs ? prev : undefined;
}
