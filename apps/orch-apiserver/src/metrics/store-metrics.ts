import type { StoredResource, Tracer } from "@orchernetes/apiserver";
import type { Metrics } from "@orchernetes/component";
import type { Logger } from "@orchernetes/kernel";
import { observeStore, type Store } from "@orchernetes/storage";
import { type GroupResource, resourceName, type Stores } from "../storage/stores.ts";
import { requestLatencyBuckets } from "./buckets.ts";

/** Gives views of stores that measure the calls for one resource in `etcd_request_duration_seconds`, and trace them. */
export function storeRequestMetrics(
  metrics: Metrics,
  tracer?: Tracer,
): (resource: GroupResource, store: Store) => Store {
  const duration = metrics.histogram({
    name: "etcd_request_duration_seconds",
    help: "Latency of store requests in seconds, by operation and type of object.",
    labelNames: ["operation", "type"] as const,
    buckets: requestLatencyBuckets,
  });
  return (resource, store) => {
    const type = resourceName(resource);
    const series = new Map<string, { observe(seconds: number): void }>();
    return observeStore(
      store,
      (operation, seconds) => {
        let of = series.get(operation);
        if (of === undefined) {
          of = duration.with(operation, type);
          series.set(operation, of);
        }
        of.observe(seconds);
      },
      tracer && ((operation, call) => tracer.span(`Store ${operation}`, { operation, type }, call)),
    );
  };
}

/** What {@link addStoreMetrics} polls. */
export interface StoreMetricsOptions {
  readonly metrics: Metrics;
  readonly stores: Pick<Stores, "all" | "storeOf">;
  readonly storages: () => readonly StoredResource[];
  /** `--etcd-count-metric-poll-period`; 0: never. */
  readonly countPeriodMs: number;
  /** `--etcd-db-metric-poll-interval`; 0: never. */
  readonly sizePeriodMs: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Object counts, database sizes and the watch caches' numbers. */
export function addStoreMetrics(options: StoreMetricsOptions): void {
  const { metrics, stores, logger, signal } = options;
  addCacheMetrics(metrics, options.storages);
  const objects = metrics.gauge({
    name: "apiserver_storage_objects",
    stability: "STABLE",
    help: "Number of stored objects at the time of the last count, by resource; -1 if they could not be counted.",
    labelNames: ["resource"] as const,
  });
  every(options.countPeriodMs, signal, async () => {
    for (const { definition, prefix } of options.storages()) {
      const count = await stores
        .storeOf(definition)
        .count(prefix)
        .catch(() => -1);
      if (signal.aborted) return;
      objects.set(count, [resourceName(definition)]);
    }
  });
  const sizes = ["apiserver_storage_db_total_size_in_bytes", "etcd_db_total_size_in_bytes"].map((name) =>
    metrics.gauge({ name, help: "Size of the store's database, in bytes.", labelNames: ["endpoint"] as const }),
  );
  every(options.sizePeriodMs, signal, async () => {
    for (const open of stores.all) {
      try {
        const size = await open.store.sizeBytes();
        if (size !== undefined) for (const gauge of sizes) gauge.set(size, [open.endpoint]);
      } catch (error) {
        if (!signal.aborted) logger.warn("The store's size could not be read", { err: String(error) });
      }
    }
  });
}

function addCacheMetrics(metrics: Metrics, storages: () => readonly StoredResource[]): void {
  const add = (
    name: string,
    help: string,
    type: "counter" | "gauge",
    read: (cache: StoredResource["cache"]) => number,
  ) =>
    metrics.gauge({
      name,
      help,
      type,
      labelNames: ["resource"] as const,
      collect: (gauge) => {
        for (const { definition, cache, cached } of storages())
          if (cached) gauge.set(read(cache), [resourceName(definition)]);
      },
    });
  add(
    "apiserver_watch_cache_events_received_total",
    "Changes that the watch cache received from the store.",
    "counter",
    (cache) => cache.counts.received,
  );
  add(
    "apiserver_watch_cache_events_dispatched_total",
    "Changes that the watch cache handed to its watchers.",
    "counter",
    (cache) => cache.counts.dispatched,
  );
  add(
    "apiserver_watch_cache_initializations_total",
    "Lists that the watch cache was filled from.",
    "counter",
    (cache) => cache.counts.initializations,
  );
  add(
    "apiserver_storage_events_received_total",
    "Changes that were received from the store.",
    "counter",
    (cache) => cache.counts.received,
  );
  add(
    "watch_cache_capacity_increase_total",
    "How often the number of changes that the watch cache can keep was increased.",
    "counter",
    (cache) => cache.capacityChanges.increases,
  );
  add(
    "watch_cache_capacity_decrease_total",
    "How often the number of changes that the watch cache can keep was decreased.",
    "counter",
    (cache) => cache.capacityChanges.decreases,
  );
  add("watch_cache_capacity", "Changes that the watch cache can keep.", "gauge", (cache) => cache.capacity);
}

/** Runs `work` now and then each period, never twice at once. */
function every(periodMs: number, signal: AbortSignal, work: () => Promise<void>): void {
  if (periodMs <= 0 || signal.aborted) return;
  let running = false;
  const run = async () => {
    if (running) return;
    running = true;
    try {
      await work();
    } finally {
      running = false;
    }
  };
  void run();
  const timer = setInterval(() => void run(), periodMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
