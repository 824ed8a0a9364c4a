import { exponentialBuckets, type Metrics } from "@orchernetes/component";
import type { MirrorAction, MirrorTotals } from "./reconcile.ts";

const prefix = "endpoint_slice_mirroring_controller_";

/** The metrics of the controller, `endpoint_slice_mirroring_controller_*`. */
export class MirrorMetrics {
  readonly #perSync: Readonly<Record<"added" | "updated" | "removed" | "skipped", (count: number) => void>>;
  readonly #duration;
  readonly #changes;
  readonly #services = new Map<string, { readonly endpoints: number; readonly desired: number; slices: number }>();

  constructor(metrics: Metrics) {
    const buckets = exponentialBuckets(2, 2, 15);
    const perSync = (name: string, what: string) => {
      const histogram = metrics.histogram({
        name: `${prefix}${name}_per_sync`,
        help: `Number of ${what} in a sync of an Endpoints object.`,
        buckets,
      });
      return (count: number) => histogram.observe(count);
    };
    this.#perSync = {
      added: perSync("endpoints_added", "endpoints that were added"),
      updated: perSync("endpoints_updated", "endpoints that were updated"),
      removed: perSync("endpoints_removed", "endpoints that were removed"),
      skipped: perSync("addresses_skipped", "addresses that were left out: invalid, or too many"),
    };
    this.#duration = metrics.histogram({
      name: `${prefix}endpoints_sync_duration`,
      help: "Duration of the sync of an Endpoints object, in seconds.",
      buckets: exponentialBuckets(0.001, 2, 15),
    });
    this.#changes = metrics.counter({
      name: `${prefix}changes`,
      help: "Number of changes of slices, by operation.",
      labelNames: ["operation"],
    });
    const gauge = (name: string, help: string, part: "endpoints" | "desired" | "slices") =>
      metrics.gauge({
        name: `${prefix}${name}`,
        help,
        collect: (into) => into.set([...this.#services.values()].reduce((sum, service) => sum + service[part], 0)),
      });
    gauge("endpoints_desired", "Number of endpoints that should be mirrored.", "endpoints");
    gauge("desired_endpoint_slices", "Number of slices that an ideal distribution would need.", "desired");
    gauge("num_endpoint_slices", "Number of slices.", "slices");
  }

  /** @param totals undefined if nothing is mirrored */
  planned(key: string, totals: MirrorTotals | undefined): void {
    if (totals === undefined) {
      this.#services.delete(key);
      return;
    }
    for (const what of ["added", "updated", "removed", "skipped"] as const) this.#perSync[what](totals[what]);
    const { desiredEndpoints, desiredSlices } = totals;
    this.#services.set(key, { endpoints: desiredEndpoints, desired: desiredSlices, slices: desiredSlices });
  }

  changed(operation: Exclude<MirrorAction["type"], "Warn">): void {
    this.#changes.inc([operation.toLowerCase()]);
  }

  synced(durationMs: number): void {
    this.#duration.observe(durationMs / 1000);
  }
}
