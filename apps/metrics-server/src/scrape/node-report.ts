import type { MetricsPoint } from "../storage/metrics-point.ts";
import { parseSample, type Sample } from "./sample.ts";

/** What a node agent has reported. */
export interface NodeReport {
  /** Undefined if it lacks the CPU time or the memory of the node. */
  readonly node: MetricsPoint | undefined;
  /** By `namespace/name`. Pods of which a container lacks CPU time or memory are left out. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, MetricsPoint>>;
}

/** Tells which containers a node may report. @param pod `namespace/name` */
export type MayReport = (pod: string, container: string) => boolean;

type Mutable = { -readonly [K in keyof MetricsPoint]?: MetricsPoint[K] };

/** The families that are read, and what they say. All others are skipped. */
const families: Readonly<
  Record<string, { readonly of: "node" | "container"; readonly field: "cpu" | "memory" | "start" }>
> = {
  node_cpu_usage_seconds_total: { of: "node", field: "cpu" },
  node_memory_working_set_bytes: { of: "node", field: "memory" },
  container_cpu_usage_seconds_total: { of: "container", field: "cpu" },
  container_memory_working_set_bytes: { of: "container", field: "memory" },
  container_start_time_seconds: { of: "container", field: "start" },
};

const familyOf = /^(?:node|container)_\w+/;
/** The latest time that can be written as text, in milliseconds since the epoch: the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;
/**
 * How far the time of a sample may be from that of the request. Clocks may differ; but the window of usage is the difference of two
 * times, and clients written in Go cannot read one of centuries, nor anything that is in a list with it.
 */
const MAX_SKEW_MS = 3_600_000;

/**
 * Collects what the page of a node agent says, line by line. Nodes are not trusted: only containers that `mayReport`
 * accepts are kept, and values that are no amount or time are as good as absent.
 */
export class ReportBuilder {
  readonly #mayReport: MayReport;
  readonly #requestTimeMs: number;
  readonly #node: Mutable = {};
  readonly #pods = new Map<string, Map<string, Mutable>>();

  /**
   * @param requestTimeMs time of samples that have none, or one more than an hour away from it, in milliseconds since the epoch
   */
  constructor(mayReport: MayReport, requestTimeMs: number) {
    this.#mayReport = mayReport;
    this.#requestTimeMs = requestTimeMs;
  }

  /** @throws Error for a line of a family that is read if it is no sample */
  add(line: string): void {
    const [name = ""] = familyOf.exec(line) ?? [];
    const family = Object.hasOwn(families, name) ? families[name] : undefined;
    if (family === undefined) return;
    const sample = parseSample(line);
    const point = family.of === "node" ? this.#node : this.#container(sample);
    if (point !== undefined) this.#set(point, family.field, sample);
  }

  #container({ labels }: Sample): Mutable | undefined {
    const { namespace = "", pod = "", container = "" } = labels;
    const key = `${namespace}/${pod}`;
    if (!this.#mayReport(key, container)) return undefined;
    const containers = this.#pods.get(key) ?? new Map<string, Mutable>();
    this.#pods.set(key, containers);
    const known = containers.get(container) ?? {};
    containers.set(container, known);
    return known;
  }

  #set(point: Mutable, field: "cpu" | "memory" | "start", { value, timestampMs: claimedMs }: Sample): void {
    if (!Number.isFinite(value) || value < 0) return;
    if (field === "start") {
      point.startMs = Math.min(value * 1000, MAX_TIME_MS);
      return;
    }
    const timestampMs = this.#timeOf(claimedMs);
    if (timestampMs <= 0 || timestampMs > MAX_TIME_MS) return;
    if (field === "cpu") {
      point.cpuSeconds = value;
      point.timestampMs = timestampMs;
    } else {
      point.memoryBytes = value;
      point.timestampMs ??= timestampMs;
    }
  }

  /** A time that is none at all is kept, and its sample left out; a wrong clock should not hide the node. */
  #timeOf(claimedMs = this.#requestTimeMs): number {
    const isNone = claimedMs <= 0 || claimedMs > MAX_TIME_MS;
    return isNone || Math.abs(claimedMs - this.#requestTimeMs) <= MAX_SKEW_MS ? claimedMs : this.#requestTimeMs;
  }

  report(): NodeReport {
    const pods = new Map<string, ReadonlyMap<string, MetricsPoint>>();
    for (const [key, containers] of this.#pods) {
      const points = new Map<string, MetricsPoint>();
      for (const [name, point] of containers) {
        const whole = complete(point);
        if (whole !== undefined) points.set(name, whole);
      }
      if (points.size === containers.size) pods.set(key, points);
    }
    return { node: complete(this.#node), pods };
  }
}

/**
 * The point, if it has everything. Nothing that runs is without memory; CPU time may be 0 where the host counts it
 * coarsely.
 */
function complete({ startMs = 0, timestampMs, cpuSeconds, memoryBytes }: Mutable): MetricsPoint | undefined {
  if (timestampMs === undefined || cpuSeconds === undefined || !memoryBytes) return undefined;
  return { startMs, timestampMs, cpuSeconds, memoryBytes };
}
