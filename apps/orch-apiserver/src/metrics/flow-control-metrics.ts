import type { ApiMetrics, FlowControlMetrics } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";

const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const queueBuckets = [0, 10, 25, 50, 100, 250, 500, 1000];

/** Requests that are worked on or wait, by kind. */
export interface RequestsByKind {
  readonly executing: Readonly<Record<"readOnly" | "mutating", number>>;
  readonly waiting: Readonly<Record<"readOnly" | "mutating", number>>;
}

/** What priority and fairness counts as requests come and go. */
export interface CountedFlows extends FlowControlMetrics {
  readonly byKind: RequestsByKind;
}

/**
 * The `apiserver_flowcontrol_*` counts.
 * @param inflight told of how many requests are worked on
 */
export function flowControlMetrics(metrics: Metrics, inflight: Pick<ApiMetrics, "setInflight">): CountedFlows {
  const labelNames = ["priority_level", "flow_schema"] as const;
  const name = (what: string) => `apiserver_flowcontrol_${what}`;
  const counter = (what: string, help: string, more: readonly string[] = []) =>
    metrics.counter({ name: name(what), help, labelNames: [...labelNames, ...more] });
  const gauge = (what: string, help: string) => metrics.gauge({ name: name(what), help, labelNames });
  // Numbers that change with every request are read when the page is.
  const series: { readonly labels: readonly string[]; executing: number; seats: number }[] = [];
  const readGauge = (what: string, help: string, read: (of: (typeof series)[number]) => number) =>
    metrics.gauge({
      name: name(what),
      help,
      labelNames,
      collect: (g) => {
        for (const each of series) g.set(read(each), each.labels);
      },
    });
  const histogram = (what: string, help: string, buckets: readonly number[], more: readonly string[] = []) =>
    metrics.histogram({ name: name(what), help, labelNames: [...labelNames, ...more], buckets });
  const dispatched = counter("dispatched_requests_total", "Requests that were let in.");
  const rejected = counter("rejected_requests_total", "Requests that were turned away, by reason.", ["reason"]);
  const crowded = counter(
    "request_dispatch_no_accommodation_total",
    "Requests that could not be let in at once because too few seats were free.",
  );
  readGauge(
    "current_executing_requests",
    "Requests being worked on, or watches being started.",
    ({ executing }) => executing,
  );
  readGauge("request_concurrency_in_use", "Seats taken by requests.", ({ seats }) => seats);
  const queued = gauge("current_inqueue_requests", "Requests that wait in queues.");
  const waited = histogram(
    "request_wait_duration_seconds",
    "Time that requests waited in queues, in seconds.",
    waitBuckets,
    ["execute"],
  );
  const executed = histogram(
    "request_execution_seconds",
    "Time that requests, or starts of watches, kept their seats, in seconds.",
    waitBuckets,
    ["type"],
  );
  const estimated = histogram("work_estimated_seats", "Seats that requests were estimated to need.", [1, 2, 4, 10]);
  const queueLength = histogram(
    "request_queue_length_after_enqueue",
    "Length of a queue after a request was added to it.",
    queueBuckets,
  );
  const kinds = ["readOnly", "mutating"] as const;
  const byKind = { executing: { readOnly: 0, mutating: 0 }, waiting: { readOnly: 0, mutating: 0 } };
  metrics.gauge({
    name: "apiserver_current_inqueue_requests",
    help: "Requests that wait in queues, by kind.",
    labelNames: ["request_kind"],
    collect: (g) => {
      for (const kind of kinds) g.set(byKind.waiting[kind], [kind]);
    },
  });
  const kindOf = (readOnly: boolean) => (readOnly ? "readOnly" : "mutating");
  return {
    byKind,
    counts(level, schema) {
      const labels = [level, schema];
      const of = {
        total: dispatched.with(level, schema),
        seats: estimated.with(level, schema),
        waited: waited.with(level, schema, "true"),
        refused: undefined as { observe(seconds: number): void } | undefined,
        regular: executed.with(level, schema, "regular"),
        watch: undefined as { observe(seconds: number): void } | undefined,
      };
      const now = { labels, executing: 0, seats: 0 };
      series.push(now);
      return {
        dispatched: (seats) => {
          of.total.inc();
          of.seats.observe(seats);
        },
        rejected: (reason) => rejected.inc([level, schema, reason]),
        executing: (delta, seats, readOnly) => {
          const kind = kindOf(readOnly);
          now.executing += delta;
          now.seats += delta * seats;
          byKind.executing[kind] += delta;
          inflight.setInflight(kind, byKind.executing[kind]);
        },
        queued: (delta, readOnly) => {
          byKind.waiting[kindOf(readOnly)] += delta;
          queued.inc(labels, delta);
        },
        enqueued: (length) => {
          crowded.inc(labels);
          queueLength.observe(length, labels);
        },
        waited: (seconds, execute) => {
          if (execute) of.waited.observe(seconds);
          else {
            of.refused ??= waited.with(level, schema, "false");
            of.refused.observe(seconds);
          }
        },
        executed: (seconds, watch) => {
          if (!watch) of.regular.observe(seconds);
          else {
            of.watch ??= executed.with(level, schema, "watch");
            of.watch.observe(seconds);
          }
        },
      };
    },
  };
}
