import type { ApiMetrics, FlowControlMetrics } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";
import { type FlowLoad, flowInstruments } from "./flow-instruments.ts";

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
 * @param inflight is notified of the number of requests in flight
 */
export function flowControlMetrics(metrics: Metrics, inflight: Pick<ApiMetrics, "setInflight">): CountedFlows {
  const loads: FlowLoad[] = [];
  const { dispatched, rejected, crowded, queued, waited, executed, estimated, queueLength } = flowInstruments(
    metrics,
    loads,
  );
  const kinds = ["readOnly", "mutating"] as const;
  const byKind = { executing: { readOnly: 0, mutating: 0 }, waiting: { readOnly: 0, mutating: 0 } };
  metrics.gauge({
    name: "apiserver_current_inqueue_requests",
    help: "Number of requests waiting in queues, by request kind.",
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
      const now: FlowLoad = { labels, executing: 0, seats: 0 };
      loads.push(now);
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
