/** What a server tells of itself on /metrics. */
export interface ServerFigures {
  /**
   * The longest that its event loop was held up since the page was last read, in milliseconds by the clock: waiting for a core
   * is in it, and so are the 20 ms between two looks.
   */
  readonly stallMs: number;
  /** CPU time of all its threads since its start. */
  readonly cpuSeconds: number;
  /** Resident memory in MB (10^6 bytes). */
  readonly residentMb: number;
}

/** Reads the figures off a page of metrics. @throws Error when one is not there */
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
