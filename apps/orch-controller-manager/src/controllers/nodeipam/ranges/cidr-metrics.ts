import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { CidrSetMetrics } from "./cidr-set.ts";

/**
 * The metrics of sets of ranges, `node_ipam_controller_*`.
 *
 * @param kind what sets are called in names: `multicidrset` if they come from ClusterCIDR objects
 */
export function cidrSetMetrics(metrics: Metrics, kind: "cidrset" | "multicidrset"): CidrSetMetrics {
  const labelNames = ["clusterCIDR"] as const;
  const prefix = `node_ipam_controller_${kind}`;
  const allocations = metrics.counter({
    name: `${prefix}_cidrs_allocations_total`,
    help: "Number of ranges that were given to nodes or found in use.",
    labelNames,
  });
  const releases = metrics.counter({
    name: `${prefix}_cidrs_releases_total`,
    help: "Number of ranges that were released.",
    labelNames,
  });
  const capacities = metrics.gauge({
    // The letters are in the order that the original has them in.
    name: `node_ipam_controller_${kind.replace("cidrset", "cirdset")}_max_cidrs`,
    help: "Number of ranges that a set can give.",
    labelNames,
  });
  const usage = metrics.gauge({
    name: `${prefix}_usage_cidrs`,
    help: "Share of the ranges that are in use, from 0 to 1.",
    labelNames,
  });
  const tries = metrics.histogram({
    name: `${prefix}_allocation_tries_per_request`,
    help: "Number of ranges in use that were passed over before a free one was found.",
    labelNames,
    buckets: exponentialBuckets(1, 5, 5),
  });
  return {
    created: (range, capacity) => capacities.set(capacity, [range]),
    allocated(range, count, share) {
      allocations.inc([range], count);
      usage.set(share, [range]);
    },
    released(range, count, share) {
      releases.inc([range], count);
      usage.set(share, [range]);
    },
    tried: (range, count) => tries.observe(count, [range]),
  };
}
