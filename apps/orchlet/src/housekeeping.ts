import { statfsSync } from "node:fs";
import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import type { PodCgroups } from "./container-manager/cgroups/pod-cgroups.ts";
import { collectImages } from "./images/collect-images.ts";
import { type LinkedContainer, syncLogLinks } from "./logs/container-log-links.ts";
import { rotateLog } from "./logs/rotate-logs.ts";
import { evictionOf, pickVictim } from "./node/evict.ts";
import type { SignalReading } from "./node/observe-node.ts";
import type { PodManager } from "./pods/pod-manager.ts";
import { collectContainers, collectPodFolders, type DeadContainerPolicy } from "./runtime/collect-garbage.ts";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "./runtime/labels.ts";
import type { RuntimeReader } from "./runtime/runtime-reader.ts";
import { forEachDespiteErrors } from "./util/for-each-despite-errors.ts";
import type { Paths } from "./util/paths.ts";
import type { VolumeManager } from "./volumes/volume-manager.ts";

/** Periods of the jobs. Evictions follow a shortage within 10 s, as in the original. */
const minuteMs = 60_000;
const imagesMs = 5 * minuteMs;
const logsMs = 10_000;
const volumesMs = 10_000;
const evictionMs = 10_000;

/** What the periodic jobs work on. */
export interface HousekeepingOptions {
  readonly config: Config;
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly paths: Paths;
  readonly manager: PodManager;
  readonly reader: RuntimeReader;
  readonly volumes: VolumeManager;
  readonly cgroups: PodCgroups;
  /** Whether every pod source has been read once; only then may leftovers of unknown pods be removed. */
  readonly allSourcesRead: () => boolean;
  /** Eviction signals that are below their thresholds now. */
  readonly crossed: () => readonly SignalReading[];
  readonly recordEvent: (pod: core.Pod, type: "Warning", reason: string, message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs the periodic jobs: removing exited containers and folders of deleted pods, rotating logs, removing unused
 * images, and evicting pods. A job that fails is logged and runs again after its period. Resolves when the signal
 * aborts.
 */
export async function runHousekeeping(options: HousekeepingOptions): Promise<void> {
  const { config, cri, clock, logger, paths, manager, reader, volumes, cgroups, signal } = options;
  const { settings } = config;
  const firstUnused = new Map<string, number>();

  const every = async (ms: number, what: string, job: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        await clock.sleep(ms, signal);
        await job();
      } catch (error) {
        if (signal.aborted) return;
        logger.error(error, `Housekeeping failed: ${what}`);
      }
    }
  };

  await Promise.all([
    every(minuteMs, "exited containers", async () =>
      reader.forget(await collectContainers(cri, deadContainerPolicy(config), clock.nowMs())),
    ),
    every(minuteMs, "folders of pods", async () => {
      if (!options.allSourcesRead()) return;
      const outline = await reader.outline();
      await collectPodFolders(paths, volumes, (uid) => manager.has(uid) || outline.has(uid));
    }),
    every(volumesMs, "unused volumes", async () => {
      if (options.allSourcesRead()) await volumes.collect();
    }),
    every(minuteMs, "control groups of classes", () => cgroups.updateClasses()),
    every(minuteMs, "control groups of unknown pods", async () => {
      if (!options.allSourcesRead()) return;
      const outline = await reader.outline();
      await cgroups.collect((uid) => manager.has(uid) || outline.has(uid));
    }),
    every(logsMs, "logs", () => rotateLogs(options)),
    every(evictionMs, "evictions", () => evict(options)),
    every(imagesMs, "images", async () => {
      await collectImages(cri, {
        usedPercent: () => {
          const { blocks, bfree } = statfsSync(config.rootDir);
          return Math.round(((blocks - bfree) / blocks) * 100);
        },
        highPercent: settings.imageGCHighThresholdPercent,
        lowPercent: settings.imageGCLowThresholdPercent,
        minimumAgeMs: settings.imageMinimumGCAge,
        firstUnused,
        nowMs: clock.now().getTime(),
        // The sandbox image belongs to no container, but every pod needs it.
        isKept: (tags) => tags.some((tag) => tag === config.sandboxImage || /(^|\/)pause:/.test(tag)),
      });
    }),
  ]);
}

const deadContainerPolicy = (config: Config): DeadContainerPolicy => ({
  perContainer: config.deadContainersPerContainer,
  total: config.deadContainers ?? -1,
  minAgeMs: config.deadContainerMinAgeMs ?? 0,
});

/** Rotates the logs of running containers, and links them where collectors of logs look. */
async function rotateLogs({ cri, clock, config, paths }: HousekeepingOptions): Promise<void> {
  const { containers } = await cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } });
  const ours = containers.filter(({ labels }) => labels[podUidLabel] !== undefined);
  const linked: LinkedContainer[] = [];
  await forEachDespiteErrors(ours, async ({ id, labels }) => {
    const { status } = await cri.runtime.containerStatus({ containerId: id });
    if (!status?.logPath) return;
    const { [podNameLabel]: pod = "", [podNamespaceLabel]: namespace = "", [containerNameLabel]: name = "" } = labels;
    linked.push({ pod, namespace, name, id, logPath: status.logPath });
    await rotateLog(status.logPath, {
      maxBytes: config.logMaxBytes,
      maxFiles: config.settings.containerLogMaxFiles,
      now: clock.now(),
      reopen: async () => void (await cri.runtime.reopenContainerLog({ containerId: id })),
    });
  });
  if (paths.containerLogs !== undefined) await syncLogLinks(paths.containerLogs, paths.podLogs, linked);
}

/**
 * Evicts one pod if a resource of the node is below its threshold. One at a time: the pod's end may already be enough.
 */
async function evict(options: HousekeepingOptions): Promise<void> {
  const { cri, config, logger, manager } = options;
  const [crossed] = options.crossed();
  if (crossed === undefined) return;
  const { stats } = await cri.runtime.listContainerStats({});
  const used = new Map<string, Map<string, number>>();
  for (const { attributes, memory } of stats) {
    const uid = attributes?.labels[podUidLabel] ?? "";
    const ofPod = used.get(uid) ?? new Map<string, number>();
    ofPod.set(attributes?.labels[containerNameLabel] ?? "", memory?.workingSetBytes ?? 0);
    used.set(uid, ofPod);
  }
  const usedBy = (uid: string): ReadonlyMap<string, number> => used.get(uid) ?? new Map();
  const total = (uid: string) => [...usedBy(uid).values()].reduce((sum, bytes) => sum + bytes, 0);
  const victim = pickVictim(
    manager
      .list()
      .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
      .flatMap(({ pod, identity }) => (pod === undefined ? [] : [{ pod, memoryBytes: total(identity.uid) }])),
  );
  if (victim === undefined) return;
  const failure = evictionOf(
    { pod: victim, usedBytes: usedBy(victim.metadata.uid ?? "") },
    crossed,
    config.settings.evictionHard[crossed.signal] ?? "",
    { disruption: config.featureEnabled("PodDisruptionConditions") },
  );
  logger.warn("Evicting a pod", { pod: victim.metadata.name, signal: crossed.signal });
  options.recordEvent(victim, "Warning", "Evicted", failure.message);
  manager.fail(victim.metadata.uid ?? "", failure);
}
