import { join } from "node:path";
import type { Logger } from "@orchernetes/kernel";
import { thresholdBytes } from "../node/capacity.ts";
import { podsGroup } from "../stats/pod-groups.ts";
import type { UsageSource } from "../stats/usage-source.ts";
import { MemoryNotifications } from "./memory-notifications.ts";
import type { NodeReadings } from "./read-signals.ts";
import { signalMeanings } from "./signals.ts";
import type { Threshold } from "./thresholds.ts";

/** The options of {@link notifyOfMemory}. */
export interface MemoryListener {
  /** Called when a threshold has been crossed, in either direction. */
  readonly onCrossed: () => void;
  readonly logger: Logger;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
}

/**
 * Receives notifications of the kernel when memory thresholds are crossed (`kernelMemcgNotification`), on cgroup v1. On cgroup v2
 * there are none, as in the original.
 *
 * @returns what to call with the readings of each check: the kernel compares the threshold with the usage including the page cache,
 *   whose share changes
 */
export function notifyOfMemory(
  source: UsageSource,
  thresholds: readonly Threshold[],
  { onCrossed, logger, signal }: MemoryListener,
): (readings: NodeReadings) => void {
  const { groups, settings, clock, folders } = source;
  if (groups.version === 2) {
    logger.warn("kernelMemcgNotification has no effect on cgroup v2; memory is read every 10 s");
    return () => undefined;
  }
  const root = join(folders?.cgroup ?? "/sys/fs/cgroup", "memory");
  const listeners = new Map<Threshold, MemoryNotifications>();
  return ({ signals }) => {
    for (const threshold of thresholds) {
      if (signalMeanings[threshold.signal].resource !== "memory") continue;
      const path = threshold.signal === "memory.available" ? "/" : podsGroup(groups, settings.cgroupRoot);
      const memory = path === undefined ? undefined : groups.memory(path);
      const reading = signals.get(threshold.signal);
      if (path === undefined || memory === undefined || reading === undefined) continue;
      const listener =
        listeners.get(threshold) ??
        new MemoryNotifications({ folder: join(root, path), onCrossed, clock, logger, signal });
      listeners.set(threshold, listener);
      const cacheBytes = memory.usageBytes - memory.workingSetBytes;
      listener.update(reading.capacity - thresholdBytes(threshold.minimum, reading.capacity) + cacheBytes);
    }
  };
}
