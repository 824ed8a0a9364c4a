import type { ApiMetrics, WatchCounts } from "@orchernetes/apiserver";
import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import { resourceName } from "../storage/stores.ts";

/** What is sent to watches, and what lists read. */
export function watchMetrics(metrics: Metrics): Pick<ApiMetrics, "watches" | "observeList"> {
  const kindLabels = ["group", "version", "kind"] as const;
  const events = metrics.counter({
    name: "apiserver_watch_events_total",
    help: "Number of events sent to watch clients.",
    labelNames: kindLabels,
  });
  const sizes = metrics.histogram({
    name: "apiserver_watch_events_sizes",
    help: "Size of events sent to watch clients, in bytes. Events that are written together are recorded with their mean size.",
    labelNames: kindLabels,
    buckets: exponentialBuckets(1024, 2, 8),
  });
  const initial = metrics.counter({
    name: "apiserver_init_events_total",
    help: "Number of initial events sent to watch clients.",
    labelNames: ["resource"],
  });
  const terminated = metrics.counter({
    name: "apiserver_terminated_watchers_total",
    help: "Number of watches closed because their client did not keep up.",
    labelNames: ["resource"],
  });
  const byDefinition = new WeakMap<object, WatchCounts>();

  const listed = (source: string, what: string, labelNames: readonly string[]) => ({
    total: metrics.counter({ name: `apiserver_${source}_list_total`, help: `Lists that ${what} served.`, labelNames }),
    fetched: metrics.counter({
      name: `apiserver_${source}_list_fetched_objects_total`,
      help: `Objects that ${what} looked at to serve lists.`,
      labelNames,
    }),
  });
  const cache = listed("cache", "the watch cache", ["resource_prefix", "index"]);
  const cacheReturned = metrics.counter({
    name: "apiserver_cache_list_returned_objects_total",
    help: "Number of objects returned by LIST requests that the watch cache served.",
    labelNames: ["resource_prefix"],
  });
  const store = listed("storage", "the store", ["resource"]);
  const evaluated = metrics.counter({
    name: "apiserver_storage_list_evaluated_objects_total",
    help: "Number of objects tested against the selectors of LIST requests.",
    labelNames: ["resource"],
  });
  const storeReturned = metrics.counter({
    name: "apiserver_storage_list_returned_objects_total",
    help: "Number of objects returned by LIST requests that the store served.",
    labelNames: ["resource"],
  });
  return {
    watches(definition) {
      let counts = byDefinition.get(definition);
      if (counts !== undefined) return counts;
      const { group, version, kind } = definition;
      const count = events.with(group, version, kind);
      const size = sizes.with(group, version, kind);
      const name = resourceName(definition);
      counts = {
        sent(number, bytes) {
          count.inc(number);
          size.observe(bytes / number, number);
        },
        initial(number) {
          if (number === 0) return;
          count.inc(number);
          initial.inc([name], number);
        },
        terminated: () => terminated.inc([name]),
      };
      byDefinition.set(definition, counts);
      return counts;
    },
    observeList(definition, prefix, { index, examined, returned }) {
      if (index === undefined) {
        const labels = [resourceName(definition)];
        store.total.inc(labels);
        store.fetched.inc(labels, examined);
        evaluated.inc(labels, examined);
        storeReturned.inc(labels, returned);
        return;
      }
      // As the original names them: without what all keys have in common.
      const at = prefix.indexOf("/", 1);
      const place = prefix.slice(Math.max(at, 0), prefix.endsWith("/") ? -1 : undefined);
      const labels = [place, index === "" ? "" : `f:${index}`];
      cache.total.inc(labels);
      cache.fetched.inc(labels, examined);
      cacheReturned.inc([place], returned);
    },
  };
}
