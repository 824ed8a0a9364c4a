import type { CriClient } from "@orchernetes/cri";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import type { PodCgroups } from "./container-manager/cgroups/pod-cgroups.ts";
import { createLogRotation } from "./logs/rotate-container-logs.ts";
import type { PodManager } from "./pods/pod-manager.ts";
import { collectPodFolders, collectPodLogs } from "./runtime/collect-garbage.ts";
import type { RuntimeReader } from "./runtime/runtime-reader.ts";
import type { AgentGarbage } from "./stages/agent-garbage.ts";
import { forEachDespiteErrors } from "./util/for-each-despite-errors.ts";
import type { Paths } from "./util/paths.ts";
import type { VolumeManager } from "./volumes/volume-manager.ts";

/** Periods of the jobs. */
const minuteMs = 60_000;
const imagesMs = 5 * minuteMs;
const logsMs = 10_000;
const volumesMs = 10_000;

/** The options of {@link runHousekeeping}. */
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
  readonly garbage: AgentGarbage;
  /**
   * Called with the numbers of unknown pods whose folders were removed, and could not be removed. @default they are not counted
   */
  readonly onFoldersRemoved?: (removed: number, failed: number) => void;
  /** Records a warning about the node. */
  readonly recordNodeEvent: (reason: string, message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs the periodic jobs: removing exited containers and folders of deleted pods, rotating logs, and removing unused images. A job that fails
 * is logged and runs again after its period. Resolves when the signal aborts.
 */
export async function runHousekeeping(options: HousekeepingOptions): Promise<void> {
  const { clock, logger, paths, manager, reader, volumes, cgroups, garbage, recordNodeEvent, signal } = options;
  // Images that exist before the first pod starts count as old.
  void garbage.images.look().catch((error: unknown) => logger.v(2)?.info("Unable to list images", { error }));
  let imagesFailed = false;
  const { logMaxBytes, settings } = options.config;
  const rotateLogs = createLogRotation({
    ...{ cri: options.cri, clock, paths },
    maxBytes: logMaxBytes,
    maxFiles: settings.containerLogMaxFiles,
  });

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
    every(minuteMs, "exited containers", () =>
      garbage.collectContainers().catch((error: unknown) => {
        recordNodeEvent("ContainerGCFailed", messageOf(error));
        throw error;
      }),
    ),
    every(minuteMs, "folders of pods", async () => {
      if (!options.allSourcesRead()) return;
      const outline = await reader.outline();
      const isKnown = (uid: string) => manager.has(uid) || outline.has(uid);
      const evicted = new Set(manager.list().flatMap(({ identity, isEvicted }) => (isEvicted ? identity.uid : [])));
      await forEachDespiteErrors(
        [
          () => collectPodFolders(paths, volumes, isKnown, options.onFoldersRemoved),
          () => collectPodLogs(paths, (uid) => isKnown(uid) && !evicted.has(uid)),
        ],
        (collect) => collect(),
      );
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
    every(logsMs, "logs", rotateLogs),
    every(imagesMs, "images", async () => {
      try {
        await garbage.images.collect();
        imagesFailed = false;
      } catch (error) {
        // The runtime may not have measured its file system yet.
        if (imagesFailed) recordNodeEvent("ImageGCFailed", messageOf(error));
        imagesFailed = true;
        throw error;
      }
    }),
  ]);
}
