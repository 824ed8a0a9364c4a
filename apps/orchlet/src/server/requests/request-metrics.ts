import { type Metrics, targetOf } from "@orchernetes/component";
import type { Clock, HttpHandler } from "@orchernetes/kernel";

const methods: ReadonlySet<string> = new Set(["OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "CONNECT"]);

/** First parts of the paths that are counted by their name; `metrics` with its second part. All others are `other`. */
const paths: ReadonlySet<string> = new Set([
  ...[
    "healthz",
    "livez",
    "readyz",
    "pods",
    "stats",
    "checkpoint",
    "run",
    "exec",
    "attach",
    "portForward",
    "containerLogs",
  ],
  ...["configz", "runningpods", "logs", "debug"],
  ...["metrics", "metrics/cadvisor", "metrics/probes", "metrics/resource"],
]);

/** The original counts these as long-running requests. */
const longRunning: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "debug"]);

/** The path of a request in its metrics: one of a limited number of values. */
function pathBucket(path: string): string {
  const [, first = "", second] = path.split("/", 3);
  const root = first === "metrics" && second !== undefined && second !== "" ? `${first}/${second}` : first;
  return paths.has(root) ? root : "other";
}

/** Counts the requests of a server of the agent, which may be called for several servers with the same metrics. */
export function measureRequests(
  metrics: Metrics,
  clock: Pick<Clock, "monotonicMs">,
  serverType: "readonly" | "readwrite",
): (handler: HttpHandler) => HttpHandler {
  const labelNames = ["method", "path", "server_type", "long_running"] as const;
  const total = metrics.counter({
    name: "orchlet_http_requests_total",
    help: "Number of the http requests received since the server started",
    labelNames,
  });
  const inflight = metrics.gauge({
    name: "orchlet_http_inflight_requests",
    help: "Number of the inflight http requests",
    labelNames,
  });
  const duration = metrics.histogram({
    name: "orchlet_http_requests_duration_seconds",
    help: "Duration in seconds to serve http requests",
    labelNames,
  });
  return (handler) => async (request, response) => {
    const { method = "GET" } = request;
    const path = pathBucket(targetOf(request).path);
    const labels = [methods.has(method) ? method : "other", path, serverType, String(longRunning.has(path))];
    const begunMs = clock.monotonicMs();
    total.inc(labels);
    inflight.inc(labels);
    try {
      await handler(request, response);
    } finally {
      inflight.dec(labels);
      duration.observe((clock.monotonicMs() - begunMs) / 1000, labels);
    }
  };
}
