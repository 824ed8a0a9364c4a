import { keyOf } from "@orchernetes/apimachinery";
import type { Gauge, Metrics } from "@orchernetes/component";
import {
  annotationOf,
  bindCompleted,
  type Claim,
  classNameOf,
  hasAnnotation,
  provisionedBy,
  storageProvisioner,
  type Volume,
} from "@orchernetes/component-helpers";
import type { Clock } from "@orchernetes/kernel";
import { csiPluginName, storageBuckets, storageOperations } from "../../shared/storage-metrics.ts";
import type { BinderAction } from "./actions.ts";
import type { BinderView } from "./binder-view.ts";
import type { VolumePlugin } from "./plugins/volume-plugin.ts";

/** The services that the metrics need. */
export interface BinderMetricsOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
}

type CarryOut = (actions: readonly BinderAction[]) => Promise<void>;

interface Operation {
  readonly plugin: string;
  readonly operation: "provision" | "delete";
  readonly startMs: number;
}

/**
 * How long it takes until a claim is bound to a volume that was created for it, and until a volume is deleted, with all
 * retries, and whoever does the work.
 */
export class OperationTimes {
  readonly #clock: Clock;
  /** By the key of a claim, which has a slash, or the name of a volume. */
  readonly #running = new Map<string, Operation>();
  readonly #seconds;
  readonly #errors;

  constructor({ metrics, clock }: BinderMetricsOptions) {
    this.#clock = clock;
    const labelNames = ["plugin_name", "operation_name"] as const;
    this.#seconds = metrics.histogram({
      name: "volume_operation_total_seconds",
      help: "Durations of creating or deleting volumes, from the first attempt to the end, in seconds.",
      labelNames,
      buckets: storageBuckets,
    });
    this.#errors = metrics.counter({
      name: "volume_operation_total_errors",
      help: "Number of failed attempts to create or delete volumes.",
      labelNames,
    });
  }

  /** What carries out plans, with times: those of the operations that the plans start and end. */
  timed(carryOut: CarryOut): CarryOut {
    return async (actions) => {
      this.#begun(actions);
      await carryOut(actions);
      for (const action of actions)
        if (action.type === "UpdateClaim" && hasAnnotation(action.claim, bindCompleted))
          this.ended(keyOf(action.claim));
    };
  }

  /** An attempt whose errors are counted. The time of the operation goes on after them. */
  counted(key: string, attempt: () => Promise<void>): () => Promise<void> {
    return async () => {
      try {
        await attempt();
      } catch (error) {
        const found = this.#running.get(key);
        if (found !== undefined) this.#errors.inc([found.plugin, found.operation]);
        throw error;
      }
    };
  }

  /** Must be called when the claim is bound, or the volume is gone. */
  ended(key: string): void {
    const found = this.#running.get(key);
    if (found === undefined) return;
    this.#running.delete(key);
    const seconds = (this.#clock.monotonicMs() - found.startMs) / 1000;
    this.#seconds.observe(seconds, [found.plugin, found.operation]);
  }

  /** Must be called when the claim is gone. */
  forget(key: string): void {
    this.#running.delete(key);
  }

  #begun(actions: readonly BinderAction[]): void {
    for (const action of actions) {
      if (action.type === "Reclaim" && action.volume.spec.persistentVolumeReclaimPolicy === "Delete")
        this.#begin(action.volume.metadata.name, annotationOf(action.volume, provisionedBy), "delete");
      const awaits = action.type === "Event" && action.reason === "ExternalProvisioning";
      if ("claim" in action && (action.type === "Provision" || awaits))
        this.#begin(keyOf(action.claim), provisionerOf(action.claim, actions), "provision");
    }
  }

  #begin(key: string, plugin: string | undefined, operation: Operation["operation"]): void {
    if (plugin === undefined || this.#running.has(key)) return;
    this.#running.set(key, { plugin, operation, startMs: this.#clock.monotonicMs() });
  }
}

/** The provisioner of a claim, which the same plan may have written to it. */
function provisionerOf(claim: Claim, actions: readonly BinderAction[]): string | undefined {
  const written = actions.flatMap((action) => (action.type === "UpdateClaim" ? [action.claim] : []));
  return annotationOf(written.at(-1) ?? claim, storageProvisioner);
}

/** The plugins with the durations of their operations in the metrics. */
export function timedPlugins(
  plugins: readonly VolumePlugin[],
  { metrics, clock }: BinderMetricsOptions,
): readonly VolumePlugin[] {
  const start = storageOperations(metrics, clock);
  const timed =
    <A extends readonly unknown[], R>(
      plugin: string,
      operation: "volume_provision" | "volume_delete",
      work: (...args: A) => Promise<R>,
    ) =>
    async (...args: A): Promise<R> => {
      const end = start({ plugin, operation });
      try {
        const result = await work(...args);
        end("success");
        return result;
      } catch (error) {
        end("fail-unknown");
        throw error;
      }
    };
  return plugins.map((plugin) => ({
    ...plugin,
    ...(plugin.provision && { provision: timed(plugin.name, "volume_provision", plugin.provision) }),
    ...(plugin.delete && { delete: timed(plugin.name, "volume_delete", plugin.delete) }),
  }));
}

/** Declares the counts of volumes and claims, which are made when they are read. */
export function countVolumes(
  metrics: Metrics,
  { volumes, claims }: Pick<BinderView, "volumes" | "claims">,
  plugins: readonly VolumePlugin[],
): void {
  const gauge = <const L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    series: () => Iterable<readonly string[]>,
  ): void => {
    const collect = (counts: Gauge): void => {
      counts.reset();
      for (const labels of series()) counts.inc(labels);
    };
    metrics.gauge({ name, help, labelNames, collect });
  };
  const ofClass = (bound: boolean) => () =>
    volumes.lister.list().flatMap((volume) => (isBound(volume) === bound ? [[classNameOf(volume)]] : []));
  const ofNamespace = (bound: boolean) => () =>
    claims.lister.list().flatMap((claim) => (isBound(claim) === bound ? [[claim.metadata.namespace ?? ""]] : []));
  gauge("pv_collector_total_pv_count", "Number of persistent volumes.", ["plugin_name", "volume_mode"], () =>
    volumes.lister.list().map((volume) => [pluginOf(volume, plugins), volume.spec.volumeMode ?? "Filesystem"] as const),
  );
  gauge("pv_collector_bound_pv_count", "Number of bound persistent volumes.", ["storage_class"], ofClass(true));
  gauge("pv_collector_unbound_pv_count", "Number of unbound persistent volumes.", ["storage_class"], ofClass(false));
  gauge("pv_collector_bound_pvc_count", "Number of bound claims.", ["namespace"], ofNamespace(true));
  gauge("pv_collector_unbound_pvc_count", "Number of unbound claims.", ["namespace"], ofNamespace(false));
}

const isBound = ({ status }: Volume | Claim): boolean => status?.phase === "Bound";

function pluginOf(volume: Volume, plugins: readonly VolumePlugin[]): string {
  const { csi } = volume.spec;
  if (csi !== undefined) return csiPluginName(csi.driver);
  return plugins.find((plugin) => plugin.supports(volume))?.name ?? "N/A";
}
