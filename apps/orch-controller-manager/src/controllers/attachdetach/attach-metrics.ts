import type { storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Gauge, Metrics } from "@orchernetes/component";
import type { Clock } from "@orchernetes/kernel";
import { csiPluginName, type StorageOperation, storageOperations } from "../../shared/storage-metrics.ts";
import type { AttachView } from "./attach-view.ts";
import { wantedNodes } from "./reconcile-volume.ts";

type Attachment = Stored<storage.VolumeAttachment>;
type End = ReturnType<ReturnType<typeof storageOperations>>;

/** The metrics of the controller. Counts are made when they are read. */
export class AttachMetrics {
  readonly #start: (operation: StorageOperation) => End;
  /** The operations in flight, by the name of the attachment. */
  readonly #attaching = new Map<string, End>();
  readonly #detaching = new Map<string, End>();
  readonly #forced: { inc(): void };

  constructor(metrics: Metrics, clock: Clock, view: AttachView) {
    this.#start = storageOperations(metrics, clock);
    this.#forced = metrics.counter({
      name: "attachdetach_controller_forced_detaches",
      help: "Number of volumes that were detached from nodes that did not unmount them in time.",
    });
    metrics.gauge({
      name: "attachdetach_controller_total_volumes",
      help: "Number of volumes that should be attached, and that are, by node.",
      labelNames: ["plugin_name", "state"],
      collect: (gauge) => collectTotals(gauge, view),
    });
    metrics.gauge({
      name: "storage_count_attachable_volumes_in_use",
      help: "Number of attachable volumes that the pods of a node use.",
      labelNames: ["node", "volume_plugin"],
      collect: (gauge) => collectInUse(gauge, view),
    });
  }

  /** Must be called when an attachment is created. */
  attaching(name: string, driver: string, migrated: boolean): void {
    this.#attaching.set(name, this.#start({ plugin: csiPluginName(driver), operation: "volume_attach", migrated }));
  }

  /** Must be called when an attachment is deleted. */
  detaching(name: string, driver: string, migrated: boolean, isForced: boolean): void {
    this.#detaching.set(name, this.#start({ plugin: csiPluginName(driver), operation: "volume_detach", migrated }));
    if (isForced) this.#forced.inc();
  }

  /** Must be called when the attacher has changed an attachment. */
  changed(old: Attachment, { metadata: { name }, status }: Attachment): void {
    if (!old.status?.attached && status?.attached) this.#end(this.#attaching, name, "success");
    if (isNews(old.status?.attachError, status?.attachError)) this.#end(this.#attaching, name, "fail-unknown");
    if (isNews(old.status?.detachError, status?.detachError)) this.#end(this.#detaching, name, "fail-unknown");
  }

  /** Must be called when an attachment is gone. */
  gone(name: string): void {
    this.#attaching.delete(name);
    this.#end(this.#detaching, name, "success");
  }

  #end(operations: Map<string, End>, name: string, status: "success" | "fail-unknown"): void {
    operations.get(name)?.(status);
    operations.delete(name);
  }
}

const isNews = (old: storage.VolumeError | undefined, error: storage.VolumeError | undefined): boolean =>
  error !== undefined && (old?.message !== error.message || old?.time !== error.time);

function collectTotals(gauge: Gauge, view: AttachView): void {
  gauge.reset();
  for (const { spec } of view.attachments.lister.list())
    gauge.inc([csiPluginName(spec.attacher), "actual_state_of_world"]);
  for (const key of keysOf(view)) {
    const state = view.stateOf(key);
    if (!state?.attachable) continue;
    const count = wantedNodes(state).size;
    if (count > 0) gauge.inc([csiPluginName(state.volume.driver), "desired_state_of_world"], count);
  }
}

function collectInUse(gauge: Gauge, view: AttachView): void {
  gauge.reset();
  for (const key of keysOf(view)) {
    const state = view.stateOf(key);
    if (!state?.attachable) continue;
    for (const { spec } of state.pods) gauge.inc([spec.nodeName ?? "", csiPluginName(state.volume.driver)]);
  }
}

/** The volumes that pods on nodes use, each once. */
function keysOf({ pods, volumesOfPod }: AttachView): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pod of pods.lister.list()) {
    if (!pod.spec.nodeName || pod.spec.volumes === undefined) continue;
    for (const key of volumesOfPod(pod)) found.add(key);
  }
  return found;
}
