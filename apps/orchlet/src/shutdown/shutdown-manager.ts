import type { core } from "@orchernetes/api";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";
import type { PodFailure } from "../types/pod-failure.ts";
import {
  graceOf,
  groupByPriority,
  type ShutdownGracePeriod,
  type ShutdownGroup,
  totalSeconds,
} from "./grace-periods.ts";
import { LatestEvent } from "./latest-event.ts";
import type { InhibitLock, Logind } from "./logind.ts";
import type { ShutdownTimesFile } from "./shutdown-times.ts";

/** Delay before reconnecting to the login manager after the connection was lost. */
const reconnectMs = 1000;
/** Maximum time between two attempts to connect. */
const maxReconnectMs = 60_000;

/** The options of the shutdown manager. */
export interface ShutdownManagerOptions {
  /** Lowest priority first; not empty. */
  readonly periods: readonly ShutdownGracePeriod[];
  readonly connect: () => Promise<Logind>;
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  /** Terminates a pod; resolves when it has ended. Undefined if the node does not have it. */
  readonly end: (uid: string, failure: PodFailure) => Promise<void> | undefined;
  /** Whether pods get the condition DisruptionTarget. */
  readonly disruption: boolean;
  /** Called when a shutdown begins or is cancelled. */
  readonly onChange: (isShuttingDown: boolean) => void;
  readonly times: ShutdownTimesFile;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Delays a shutdown of the host until the pods have terminated: those of the lowest priority first, each group within its period.
 * Resolves when the signal aborts.
 */
export async function manageShutdown(options: ShutdownManagerOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options;
  let waitMs = reconnectMs;
  while (!signal.aborted) {
    try {
      await watch(options, signal, () => {
        waitMs = reconnectMs;
      });
      if (!signal.aborted) logger.warn("Lost the connection to the system bus; reconnecting soon");
    } catch (error) {
      if (!signal.aborted)
        logger.error(error, "Cannot watch for shutdowns of the host; its pods would not terminate gracefully", {
          retryInMs: waitMs,
        });
    }
    await clock.sleep(waitMs, signal).catch(() => undefined);
    waitMs = Math.min(waitMs * 2, maxReconnectMs);
  }
}

/**
 * Watches for shutdowns over one connection, until it ends. @throws Error if the host waits for less time than the pods may take
 */
async function watch(options: ShutdownManagerOptions, signal: AbortSignal, onReady: () => void): Promise<void> {
  const { logger, onChange } = options;
  const logind = await options.connect();
  let lock: InhibitLock | undefined;
  const releaseLock = (): void => {
    const held = lock;
    lock = undefined;
    held?.release();
  };
  const onAbort = (): void => logind.close();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await ensureDelay(logind, totalSeconds(options.periods));
    const holdLock = async (): Promise<void> => {
      const held = await logind.inhibit();
      lock = held;
      void held.ended.then(() => {
        if (lock !== held) return;
        // A host that is shut down now would not wait for its pods: a new connection takes a new lock.
        logger.warn("The lock that delays shutdowns of the host is lost");
        logind.close();
      });
    };
    await holdLock();
    const handle = async (begins: boolean): Promise<void> => {
      logger.info("Shutdown manager detected new shutdown event", { event: begins ? "shutdown" : "cancelled" });
      onChange(begins);
      try {
        if (begins) await endPods(options, signal);
        else if (lock === undefined) await holdLock();
      } catch (error) {
        logger.error(error, "Could not handle a shutdown event");
      } finally {
        if (begins) releaseLock();
      }
    };
    const events = new LatestEvent(handle);
    await logind.onShutdown((begins) => events.put(begins));
    onReady();
    logger.info("Watching the host for shutdowns", { delaySeconds: totalSeconds(options.periods) });
    await logind.closed;
    await events.handled();
  } finally {
    signal.removeEventListener("abort", onAbort);
    releaseLock();
    logind.close();
  }
}

/** Makes the host wait as long as all groups of pods may take. */
async function ensureDelay(logind: Logind, seconds: number): Promise<void> {
  const wanted = BigInt(seconds) * 1_000_000n;
  const before = await logind.inhibitDelayUs();
  if (before >= wanted) return;
  await logind.overrideInhibitDelay(seconds).catch((error: unknown) => {
    throw new Error(
      `logind waits for at most ${before} µs, and its limit could not be raised to ${seconds} s: ${messageOf(error)}`,
    );
  });
  const now = await logind.inhibitDelayUs();
  if (now < wanted)
    throw new Error(
      `node shutdown manager was unable to update logind InhibitDelayMaxSec to ${seconds}s (ShutdownGracePeriod), current value of InhibitDelayMaxSec (${Number(now) / 1e6}s) is less than requested ShutdownGracePeriod`,
    );
}

async function endPods(options: ShutdownManagerOptions, signal: AbortSignal): Promise<void> {
  const { times, clock, logger } = options;
  const startTime = clock.nowMs() / 1000;
  const note = (endTime: number): void => {
    try {
      times.write({ startTime, endTime });
    } catch (error) {
      logger.error(error, "Could not record the time of the shutdown");
    }
  };
  note(0);
  // No time is spent on priorities without pods.
  for (const group of groupByPriority(options.periods, options.active()))
    if (group.pods.length > 0) await endGroup(group, options, signal);
  note(clock.nowMs() / 1000);
  logger.info("Shutdown manager completed processing shutdown event, node will shutdown shortly");
}

async function endGroup(group: ShutdownGroup, options: ShutdownManagerOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options;
  const { priority, seconds, pods } = group;
  logger.info("Shutdown manager is killing pods", { priority, seconds, pods: pods.length });
  const ended = Promise.all(pods.map((pod) => options.end(pod.metadata.uid ?? "", failureOf(pod, group, options))));
  const done = new AbortController();
  const late = clock
    .sleep(seconds * 1000, AbortSignal.any([signal, done.signal]))
    .then(() => "late" as const)
    .catch(() => undefined);
  const result = await Promise.race([ended, late]);
  done.abort();
  if (result === "late") logger.warn("Shutdown manager pod killing time out", { priority, seconds });
}

const failureOf = (pod: core.Pod, group: ShutdownGracePeriod, { disruption }: ShutdownManagerOptions): PodFailure => ({
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
  graceSeconds: graceOf(pod, group),
  ...(disruption && { disruption }),
});
