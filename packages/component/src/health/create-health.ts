import type { HttpHandler, Logger } from "@orchernetes/kernel";
import type { Metrics } from "../metrics/create-metrics.ts";
import { respond, targetOf } from "../serving/http.ts";
import type { Check } from "./check.ts";

/** The probes, by the name of their path. */
export const probes = ["healthz", "livez", "readyz"] as const;
/** Overall health, liveness or readiness. */
export type Probe = (typeof probes)[number];

/** The response of a probe. */
export interface HealthAnswer {
  readonly status: 200 | 500;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The options of {@link createHealth}. */
export interface HealthOptions {
  readonly healthz?: readonly Check[];
  readonly livez?: readonly Check[];
  readonly readyz?: readonly Check[];
  /** `--livez-grace-period` in milliseconds, counted from the creation. @default 0 */
  readonly livezGraceMs?: number;
  /** Limit of the duration of a single check, in milliseconds. @default 30000 */
  readonly checkTimeoutMs?: number;
  /** Monotonic milliseconds. @default performance.now */
  readonly now?: () => number;
  readonly logger: Logger;
  /** The registry of `orchernetes_healthcheck` and `orchernetes_healthchecks_total`. */
  readonly metrics?: Metrics;
}

/** The health of a process. */
export interface Health {
  /** Adds a check to the given probes, by default to all; a check of the same name is replaced. */
  add(check: Check, on?: readonly Probe[]): void;
  /** Removes a check from all probes. */
  remove(name: string): void;
  /** Every path that is served, sorted: `/healthz`, `/healthz/ping`, … */
  paths(): readonly string[];
  /** The response for a path and query; undefined if the path is none of {@link paths}. */
  evaluate(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<HealthAnswer | undefined>;
  /** Responds to a request for one of the paths; false, with nothing written, for any other path. */
  handle(...message: Parameters<HttpHandler>): Promise<boolean>;
}

const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
const passed = (body: string): HealthAnswer => ({ status: 200, headers, body });
const failed = (body: string): HealthAnswer => ({ status: 500, headers, body });

/**
 * Creates the probes `/healthz`, `/livez` and `/readyz` with a path for every check (`/livez/etcd`), `?verbose` and repeated
 * `?exclude=name`. The checks of a probe run concurrently and are listed in the order in which they were added. The reason for a
 * failure is logged, and sent only on the path of the check itself.
 */
export function createHealth(options: HealthOptions): Health {
  const { logger, livezGraceMs = 0, checkTimeoutMs = 30_000, now = () => performance.now() } = options;
  const startMs = now();
  const checks: Record<Probe, Map<string, Check>> = {
    healthz: new Map(options.healthz?.map((check) => [check.name, check])),
    livez: new Map(options.livez?.map((check) => [check.name, check])),
    readyz: new Map(options.readyz?.map((check) => [check.name, check])),
  };

  const record = options.metrics === undefined ? () => {} : healthMetrics(options.metrics);
  const run = async (probe: Probe, check: Check, signal: AbortSignal): Promise<Error | undefined> => {
    const error = await attempt(probe, check, signal);
    record(check.name, probe, error === undefined);
    return error;
  };
  const attempt = async (probe: Probe, check: Check, signal: AbortSignal): Promise<Error | undefined> => {
    if (probe === "livez" && check.livezGrace && now() - startMs < livezGraceMs) return undefined;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]);
    try {
      await raceAbort(Promise.resolve(check.check(limit)), limit);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };

  const all = async (probe: Probe, query: URLSearchParams, signal: AbortSignal): Promise<HealthAnswer> => {
    const excluded = new Set(query.getAll("exclude").flatMap((names) => names.split(",")));
    const results = await Promise.all(
      [...checks[probe].values()].map(async (check) => ({
        name: check.name,
        excluded: excluded.delete(check.name),
        error: query.getAll("exclude").includes(check.name) ? undefined : await run(probe, check, signal),
      })),
    );
    let listing = "";
    const reasons: string[] = [];
    for (const result of results) {
      if (result.excluded) listing += `[+]${result.name} excluded: ok\n`;
      else if (result.error === undefined) listing += `[+]${result.name} ok\n`;
      else {
        // The reason may contain information for operators only; it is written to the log.
        listing += `[-]${result.name} failed: reason withheld\n`;
        reasons.push(`${result.name}: ${result.error.message}`);
      }
    }
    const unknown = [...excluded].filter((name) => name !== "").sort();
    if (unknown.length > 0) {
      const quoted = unknown.map((name) => JSON.stringify(name)).join(",");
      listing += `warn: some health checks cannot be excluded: no matches for ${quoted}\n`;
    }
    if (reasons.length > 0) {
      logger.v(2)?.info("Health check failed", { probe, reasons: reasons.join("; ") });
      return failed(`${listing}${probe} check failed\n`);
    }
    // The last line is the same for all three probes.
    return passed(query.has("verbose") ? `${listing}healthz check passed\n` : "ok");
  };

  const health: Health = {
    add(check, on = probes) {
      for (const probe of on) checks[probe].set(check.name, check);
    },
    remove(name) {
      for (const probe of probes) checks[probe].delete(name);
    },
    paths: () =>
      probes.flatMap((probe) => [`/${probe}`, ...[...checks[probe].keys()].map((name) => `/${probe}/${name}`)]).sort(),
    async evaluate(path, query, signal = new AbortController().signal) {
      const [, name, check] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/s.exec(path) ?? [];
      const probe = probes.find((candidate) => candidate === name);
      if (probe === undefined) return undefined;
      if (check === undefined || check === "") return all(probe, query, signal);
      const found = checks[probe].get(check);
      if (found === undefined) return undefined;
      const error = await run(probe, found, signal);
      return error === undefined ? passed("ok") : failed(`internal server error: ${error.message}\n`);
    },
    async handle(request, response) {
      const { path, query } = targetOf(request);
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      const answer = await health.evaluate(path, query, gone.signal);
      if (answer === undefined) return false;
      respond(request, response, answer.status, answer.headers, answer.body);
      return true;
    },
  };
  return health;
}

const checkState = "orchernetes_healthcheck";
const checkTotal = "orchernetes_healthchecks_total";

/** What `/metrics/slis` shows: the metrics from which the availability of a process is computed. */
export const sliMetrics: ReadonlySet<string> = new Set([checkState, checkTotal]);

function healthMetrics(metrics: Metrics): (name: string, probe: Probe, passed: boolean) => void {
  const state = metrics.gauge({
    name: checkState,
    help: "1 if the last run of the check passed, 0 otherwise, by check and probe.",
    labelNames: ["name", "type"],
  });
  const total = metrics.counter({
    name: checkTotal,
    help: "Number of runs of a health check, by check, probe and status.",
    labelNames: ["name", "type", "status"],
  });
  return (name, probe, passed) => {
    state.set(passed ? 1 : 0, [name, probe]);
    total.inc([name, probe, passed ? "success" : "error"]);
  };
}

/** Rejects when the signal aborts first: a check that ignores its signal must not block the probe. */
async function raceAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const give = () => reject(new Error(`no response in time: ${String(signal.reason?.message ?? signal.reason)}`));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true, signal: stop.signal });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}
