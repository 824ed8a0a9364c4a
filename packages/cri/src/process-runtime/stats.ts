import type { ContainerStats, PodSandboxStats } from "../v1/stats.ts";
import { type ProcessStat, processesBySession, ticksPerSecond } from "./proc.ts";
import type { ContainerRecord, SandboxRecord } from "./records.ts";

const pageBytes = 4096;
const nanosPerTick = 1e9 / ticksPerSecond;
/** Number of containers whose counters are kept. */
const COUNTER_LIMIT = 4096;

/**
 * Resource usage of containers, from `/proc`: the processes in the session of each container. Processes that start a
 * session of their own are not counted.
 */
export interface StatsReader {
  containers(records: readonly ContainerRecord[]): ContainerStats[];
  sandboxes(records: readonly SandboxRecord[], containersOf: (id: string) => ContainerRecord[]): PodSandboxStats[];
}

/**
 * Creates a reader, which remembers earlier values to compute rates.
 * @param nowNs - returns ns since the epoch
 */
export function createStatsReader(nowNs: () => bigint): StatsReader {
  const before = new Map<string, { cpu: number; at: bigint }>();
  const counters = new Map<string, { seen: number; lost: number }>();

  /**
   * CPU rate in nano-cores since an earlier reading at least 100 ms ago. Shorter intervals are too coarse for ticks
   * of 10 ms.
   */
  function rate(id: string, cpu: number, at: bigint): number {
    const last = before.get(id);
    if (last === undefined || at - last.at > 100_000_000n) before.set(id, { cpu, at });
    if (last === undefined || at <= last.at) return 0;
    return Math.max(0, Math.round(((cpu - last.cpu) * 1e9) / Number(at - last.at)));
  }

  /**
   * The CPU time of a container's processes as a counter. Processes that nobody waited for take their time with them
   * when they exit; it is added from then on.
   */
  function counter(id: string, seen: number): number {
    const known = counters.get(id) ?? { seen: 0, lost: 0 };
    const lost = known.lost + Math.max(0, known.seen - seen);
    // The container that was read longest ago is forgotten first.
    counters.delete(id);
    counters.set(id, { seen, lost });
    const [oldest = id] = counters.keys();
    if (counters.size > COUNTER_LIMIT) counters.delete(oldest);
    return seen + lost;
  }

  function container(record: ContainerRecord, sessions: ReadonlyMap<number, ProcessStat[]>): ContainerStats {
    const timestamp = nowNs();
    const members = record.process === undefined ? [] : (sessions.get(record.process.pid) ?? []);
    const cpu = counter(record.id, sum(members, ({ cpuTicks }) => cpuTicks) * nanosPerTick);
    const rss = sum(members, ({ rssPages }) => rssPages) * pageBytes;
    const { metadata, labels, annotations } = record.config;
    return {
      attributes: { id: record.id, labels, annotations, ...(metadata && { metadata }) },
      cpu: { timestamp, usageCoreNanoSeconds: cpu, usageNanoCores: rate(record.id, cpu, timestamp) },
      memory: { timestamp, workingSetBytes: rss, usageBytes: rss, rssBytes: rss },
      writableLayer: { timestamp, usedBytes: 0, inodesUsed: 0 },
    };
  }

  return {
    containers(records) {
      const running = records.filter(({ state }) => state === "CONTAINER_RUNNING");
      const sessions = running.length === 0 ? new Map() : processesBySession();
      for (const id of before.keys()) if (before.size > 2 * records.length + 64) before.delete(id);
      return running.map((record) => container(record, sessions));
    },
    sandboxes(records, containersOf) {
      const sessions = processesBySession();
      return records.map(({ id, config }) => {
        const timestamp = nowNs();
        const running = containersOf(id).filter(({ state }) => state === "CONTAINER_RUNNING");
        const containers = running.map((record) => container(record, sessions));
        const cpu = sum(containers, (stats) => stats.cpu?.usageCoreNanoSeconds ?? 0);
        const memory = sum(containers, (stats) => stats.memory?.workingSetBytes ?? 0);
        const processes = sum(running, ({ process }) => sessions.get(process?.pid ?? 0)?.length ?? 0);
        const { metadata, labels, annotations } = config;
        return {
          attributes: { id, labels, annotations, ...(metadata && { metadata }) },
          linux: {
            cpu: { timestamp, usageCoreNanoSeconds: cpu, usageNanoCores: rate(id, cpu, timestamp) },
            memory: { timestamp, workingSetBytes: memory, usageBytes: memory, rssBytes: memory },
            process: { timestamp, processCount: processes },
            containers,
          },
        };
      });
    },
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
