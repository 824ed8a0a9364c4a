import { exponentialBuckets, type Metrics } from "@orchernetes/component";

/** Measures the service controller. Times are in milliseconds. */
export interface ServiceMetrics {
  /** The nodes of a load balancer are updated. */
  updated(): void;
  /** How long that took. */
  updateTook(ms: number): void;
  /** The nodes of a load balancer could not be updated. */
  updateFailed(): void;
  /** How long updating the nodes of all load balancers took. */
  syncTook(ms: number): void;
}

/** Registers the metrics of the service controller, under the original's names. */
export function serviceMetrics(metrics: Metrics): ServiceMetrics {
  const buckets = exponentialBuckets(1, 2, 15);
  const syncs = metrics.counter({
    name: "service_controller_loadbalancer_sync_total",
    help: "Times that the nodes of a load balancer were updated.",
  });
  const errors = metrics.counter({
    name: "service_controller_nodesync_error_total",
    help: "Times that updating the nodes of a load balancer failed.",
  });
  const all = metrics.histogram({
    name: "service_controller_nodesync_latency_seconds",
    help: "Time it takes to update the nodes of all load balancers, in seconds.",
    buckets,
  });
  const one = metrics.histogram({
    name: "service_controller_update_loadbalancer_host_latency_seconds",
    help: "Time it takes to update the nodes of a load balancer, in seconds.",
    buckets,
  });
  return {
    updated: () => syncs.inc(),
    updateTook: (ms) => one.observe(ms / 1000),
    updateFailed: () => errors.inc(),
    syncTook: (ms) => all.observe(ms / 1000),
  };
}
