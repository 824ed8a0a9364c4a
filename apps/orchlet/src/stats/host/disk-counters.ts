import { readText } from "./host-files.ts";

/** Counters of a disk or partition since the machine was started. */
export interface DiskCounters {
  /** As `/dev/sda1`. */
  readonly device: string;
  readonly reads: number;
  readonly readsMerged: number;
  readonly sectorsRead: number;
  readonly readMs: number;
  readonly writes: number;
  readonly writesMerged: number;
  readonly sectorsWritten: number;
  readonly writeMs: number;
  readonly inProgress: number;
  readonly ioMs: number;
  readonly weightedIoMs: number;
}

/** The counters of all disks by `major:minor`. */
export function diskCounters(proc: string): ReadonlyMap<string, DiskCounters> {
  const disks = new Map<string, DiskCounters>();
  for (const line of (readText(proc, "diskstats") ?? "").split("\n")) {
    const [major, minor, name, ...rest] = line.trim().split(/\s+/);
    if (name === undefined) continue;
    const at = (column: number): number => Number(rest[column] ?? 0);
    disks.set(`${major}:${minor}`, {
      device: `/dev/${name}`,
      ...{ reads: at(0), readsMerged: at(1), sectorsRead: at(2), readMs: at(3) },
      ...{ writes: at(4), writesMerged: at(5), sectorsWritten: at(6), writeMs: at(7) },
      ...{ inProgress: at(8), ioMs: at(9), weightedIoMs: at(10) },
    });
  }
  return disks;
}
