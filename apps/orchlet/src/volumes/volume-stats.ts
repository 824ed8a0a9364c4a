import type { core } from "@orchernetes/api";
import { claimsOfPod } from "@orchernetes/component-helpers";
import type { Clock, Logger } from "@orchernetes/kernel";
import { localVolumes } from "../types/local-volumes.ts";
import { limiter } from "../util/limiter.ts";
import { isApiVolume } from "./content/content.ts";
import type { PreparedVolume } from "./prepare-volume.ts";

/** How much of a volume is used. What is not known is left out. */
export interface VolumeUsage {
  readonly capacityBytes?: number | undefined;
  readonly availableBytes?: number | undefined;
  readonly usedBytes?: number | undefined;
  readonly inodes?: number | undefined;
  readonly inodesFree?: number | undefined;
  readonly inodesUsed?: number | undefined;
  /** The volume's health as its CSI driver reports it (KEP-1432). */
  readonly health?: { readonly abnormal: boolean; readonly message: string } | undefined;
}

/** The use of a volume of a pod, as of `time`. */
export interface VolumeStats extends VolumeUsage {
  readonly podUid: string;
  /** Name of the volume in the pod. */
  readonly volumeName: string;
  readonly time: Date;
  /** The claim of the volume, if it has one. */
  readonly pvcRef?: { readonly name: string; readonly namespace: string } | undefined;
}

/** A pod whose volumes are measured. */
interface MeasuredPod {
  readonly pod: core.Pod;
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
}

/** How volumes are measured. */
export interface VolumeStatsOptions {
  readonly pods: () => readonly MeasuredPod[];
  /** Undefined if the volume cannot be measured. @throws Error */
  readonly measure: (pod: core.Pod, volume: core.Volume, prepared: PreparedVolume) => Promise<VolumeUsage | undefined>;
  /** Minimum time between measurements of a volume, in milliseconds; a random delay can double it. 0 or less: no measurements. */
  readonly periodMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** @default Math.random */
  readonly random?: () => number;
}

/** Time between looks for volumes that are due. The original looks once a minute. */
const tickMs = 10_000;
/** Several at a time, not all at once, to avoid bursts. */
const parallelLocal = 4;
/** More of the others, because a driver or file system that does not respond takes a turn for minutes. */
const parallelFar = 32;

interface Entry {
  stats: VolumeStats | undefined;
  /** `Infinity` while it is measured. */
  dueAtMs: number;
}

/** Measures volumes: each soon after it has been prepared, and then every period. */
export class VolumeStatsCollector {
  readonly #options: VolumeStatsOptions;
  readonly #entries = new Map<string, Map<string, Entry>>();
  /** The turns of volumes on the node's own disks. */
  readonly #local = limiter(parallelLocal);
  /** The turns of all other volumes, on which those that are measured for evictions must not wait. */
  readonly #far = limiter(parallelFar);

  constructor(options: VolumeStatsOptions) {
    this.#options = options;
  }

  /** The last measured use of a pod's volumes. Those that were not measured yet, or cannot be, are left out. */
  of(podUid: string): readonly VolumeStats[] {
    return [...(this.#entries.get(podUid)?.values() ?? [])].flatMap(({ stats }) => stats ?? []);
  }

  /** Measures until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { periodMs, clock } = this.#options;
    if (periodMs <= 0) return;
    while (!signal.aborted) {
      this.measureDue(signal);
      await clock.sleep(tickMs, signal).catch(() => undefined);
    }
  }

  /** Begins to measure the volumes that are due, and forgets pods that are gone. */
  measureDue(signal: AbortSignal): void {
    const nowMs = this.#options.clock.monotonicMs();
    const present = new Set<string>();
    for (const { pod, volumes } of this.#options.pods()) {
      const { uid = "" } = pod.metadata;
      present.add(uid);
      for (const volume of pod.spec.volumes ?? []) {
        const prepared = volumes.get(volume.name);
        if (prepared === undefined) continue;
        const entry = this.#entryOf(pod, volume.name);
        if (nowMs < entry.dueAtMs) continue;
        entry.dueAtMs = Number.POSITIVE_INFINITY;
        void this.#measure(pod, volume, prepared, entry, signal);
      }
    }
    for (const uid of this.#entries.keys()) if (!present.has(uid)) this.#entries.delete(uid);
  }

  /**
   * Measures the volumes on the node's own disks again, whether they are due or not.
   *
   * @returns when all are measured, or after `withinMs`
   */
  async measureLocal(withinMs: number, signal: AbortSignal): Promise<void> {
    const measuring = this.#options.pods().flatMap(({ pod, volumes }) => {
      const local = localVolumes(pod);
      return (pod.spec.volumes ?? []).flatMap((volume) => {
        const prepared = volumes.get(volume.name);
        if (prepared === undefined || !local.has(volume.name)) return [];
        return [this.#measure(pod, volume, prepared, this.#entryOf(pod, volume.name), signal)];
      });
    });
    const done = new AbortController();
    const late = this.#options.clock.sleep(withinMs, AbortSignal.any([signal, done.signal])).catch(() => undefined);
    await Promise.race([Promise.all(measuring), late]);
    done.abort();
  }

  /** The entry of a volume, due at once if it is new. */
  #entryOf({ metadata: { uid = "" } }: core.Pod, volumeName: string): Entry {
    const entries = this.#entries.get(uid) ?? new Map<string, Entry>();
    this.#entries.set(uid, entries);
    const entry = entries.get(volumeName) ?? { stats: undefined, dueAtMs: 0 };
    entries.set(volumeName, entry);
    return entry;
  }

  /** Never rejects. */
  async #measure(
    pod: core.Pod,
    volume: core.Volume,
    prepared: PreparedVolume,
    entry: Entry,
    signal: AbortSignal,
  ): Promise<void> {
    const { measure, periodMs, clock, logger, random = Math.random } = this.#options;
    const { uid = "", name } = pod.metadata;
    try {
      const isThere = () => this.#entries.get(uid)?.get(volume.name) === entry;
      const job = async () => (isThere() ? await measure(pod, volume, prepared) : undefined);
      const isLocal = volume.emptyDir !== undefined || isApiVolume(volume);
      const usage = await (isLocal ? this.#local : this.#far)(job, signal);
      const pvcRef = claimOf(pod, volume);
      entry.stats = usage && {
        podUid: uid,
        volumeName: volume.name,
        time: clock.now(),
        ...usage,
        ...(pvcRef && { pvcRef }),
      };
    } catch (error) {
      if (!signal.aborted) logger.v(3)?.info("Unable to measure a volume", { pod: name, volume: volume.name, error });
    }
    entry.dueAtMs = clock.monotonicMs() + periodMs * (1 + random());
  }
}

/** The claim of one volume of a pod. */
function claimOf(pod: core.Pod, volume: core.Volume): VolumeStats["pvcRef"] {
  const [claim] = claimsOfPod({ ...pod, spec: { ...pod.spec, volumes: [volume] } });
  return claim && { name: claim.name, namespace: pod.metadata.namespace ?? "" };
}
