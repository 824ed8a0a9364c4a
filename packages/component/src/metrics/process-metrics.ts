import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { VersionInfo } from "../version.ts";
import type { Metrics } from "./create-metrics.ts";

/**
 * Adds the metrics that every daemon exports about itself: `process_*`, heap and event-loop lag, `orchernetes_build_info`. Values are read
 * when the page is requested. The event loop is monitored until `signal` aborts; lag figures cover the time since the last page.
 */
export function addProcessMetrics(metrics: Metrics, version: VersionInfo, signal: AbortSignal): void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    metrics.gauge({
      name,
      help,
      stability: "none",
      type: name.endsWith("_total") ? "counter" : "gauge",
      collect: (g) => {
        const value = read();
        if (value !== undefined) g.set(value);
      },
    });
  gauge("process_cpu_seconds_total", "User and system CPU time spent, in seconds.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge("process_resident_memory_bytes", "Resident memory in bytes.", () => process.memoryUsage.rss());
  gauge("process_virtual_memory_bytes", "Virtual memory in bytes.", virtualMemory);
  metrics
    .gauge({ name: "process_start_time_seconds", help: "Start time of the process in seconds since the epoch." })
    .set(performance.timeOrigin / 1000);
  gauge("process_open_fds", "Open file descriptors.", () => attempt(() => readdirSync("/proc/self/fd").length));
  gauge("process_max_fds", "File descriptors the process may open.", maxFiles);
  gauge("nodejs_heap_used_bytes", "Used heap in bytes.", () => process.memoryUsage().heapUsed);
  gauge("nodejs_heap_total_bytes", "Heap size in bytes.", () => process.memoryUsage().heapTotal);

  // Not by a timer, which would wake up an idle process fifty times a second.
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
  delay.enable();
  signal.addEventListener("abort", () => delay.disable(), { once: true });
  metrics.gauge({
    name: "nodejs_eventloop_lag_seconds",
    stability: "none",
    help: "Duration in seconds of the iterations of the event loop since the last scrape, without idle time.",
    labelNames: ["quantile"],
    collect: (g) => {
      for (const quantile of [0.5, 0.9, 0.99]) g.set(delay.percentile(quantile * 100) / 1e9, [String(quantile)]);
      g.set(delay.max / 1e9, ["1"]);
      delay.reset();
    },
  });
  watchEventLoop(metrics, signal);
  const labels = [
    "build_date",
    "compiler",
    "git_commit",
    "git_tree_state",
    "git_version",
    "go_version",
    "major",
    "minor",
    "platform",
  ] as const;
  const values = [
    version.buildDate,
    version.compiler,
    version.gitCommit,
    version.gitTreeState,
    version.gitVersion,
    version.goVersion,
    version.major,
    version.minor,
    version.platform,
  ];
  metrics
    .gauge({
      name: "orchernetes_build_info",
      help: "Constant 1, labeled with the build version.",
      labelNames: labels,
    })
    .set(1, values);
}

/** Each tick wakes up an idle process. */
const tickMs = 100;
const delayBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Observes how late a timer fires: for that time, the event loop could run nothing else. */
function watchEventLoop(metrics: Metrics, signal: AbortSignal): void {
  const histogram = metrics
    .histogram({
      name: "nodejs_eventloop_delay_seconds",
      stability: "none",
      help: `Delay of the event loop, sampled every ${tickMs} ms, in seconds.`,
      buckets: delayBuckets,
    })
    .with();
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    histogram.observe(Math.max(0, now - last - tickMs) / 1000);
    last = now;
  }, tickMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // There is no /proc on this system: the metric is omitted.
    return undefined;
  }
}

function virtualMemory(): number | undefined {
  const pages = attempt(() => Number(readFileSync("/proc/self/statm", "utf8").split(" ")[0]));
  return pages === undefined ? undefined : pages * 4096;
}

function maxFiles(): number | undefined {
  const line = attempt(() => /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")));
  return line === undefined || line === null ? undefined : Number(line[1]);
}
