/** Figures of a server from its /metrics page. */
export interface ServerFigures {
  /**
   * The longest iteration of its event loop since the page was last read, in milliseconds of wall-clock time. It includes the time for which
   * the process waits for a core.
   */
  readonly stallMs: number;
  /** CPU time of all its threads since its start. */
  readonly cpuSeconds: number;
  /** Resident memory in MB (10^6 bytes). */
  readonly residentMb: number;
}

/** Reads the figures from a page of metrics. @throws Error if one is missing */
export function figuresOf(page: string): ServerFigures {
  return {
    stallMs: seriesIn(page, 'nodejs_eventloop_lag_seconds{quantile="1"}') * 1000,
    cpuSeconds: seriesIn(page, "process_cpu_seconds_total"),
    residentMb: seriesIn(page, "process_resident_memory_bytes") / 1e6,
  };
}

function seriesIn(page: string, series: string): number {
  const line = page.split("\n").find((text) => text.startsWith(`${series} `));
  if (line === undefined) throw new Error(`/metrics has no ${series}`);
  return Number(line.slice(series.length + 1));
}
