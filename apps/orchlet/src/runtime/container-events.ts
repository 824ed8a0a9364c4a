import type { Metrics } from "@orchernetes/component";
import { type CriClient, isCriError } from "@orchernetes/cri";
import type { Clock, Logger } from "@orchernetes/kernel";
import { podUidLabel } from "./labels.ts";

/** Delays between attempts to open the stream again. */
const retryMs = 1000;
const maxRetryMs = 60_000;
/** Time after which an open stream without events and errors counts as working. */
const settleMs = 2000;

/** The options of {@link followContainerEvents} (feature gate EventedPLEG). */
interface ContainerEventOptions {
  readonly cri: CriClient;
  /** Called with the uid of a pod that has changed. */
  readonly onPod: (uid: string) => void;
  /** Called with true when events begin to arrive, and with false when events may be missed. */
  readonly onFollowing: (isFollowing: boolean) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

/**
 * Follows the runtime's stream of container events. A stream that ends is reopened. Resolves when the signal aborts, or if the
 * runtime does not support events; then its containers must be relisted.
 */
export async function followContainerEvents(options: ContainerEventOptions): Promise<void> {
  const { clock, logger, signal, onFollowing } = options;
  const measured = eventMetrics(options.metrics);
  for (let waitMs = retryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
    try {
      await follow(options, measured, () => {
        waitMs = retryMs;
      });
      if (!signal.aborted) logger.warn("The runtime closed its event stream", { retryInMs: waitMs });
    } catch (error) {
      if (signal.aborted) return;
      measured.errors.inc();
      if (isCriError(error, "Unimplemented")) {
        logger.warn("The runtime does not support events; its containers are listed every second");
        return;
      }
      logger.error(error, "Cannot follow the runtime's events", { retryInMs: waitMs });
    } finally {
      onFollowing(false);
    }
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

/** Reads one stream until it ends. @throws CriError */
async function follow(
  { cri, onPod, onFollowing, clock, signal }: ContainerEventOptions,
  measured: ReturnType<typeof eventMetrics>,
  onWorking: () => void,
): Promise<void> {
  let isFollowing = false;
  const begin = (): void => {
    if (isFollowing) return;
    isFollowing = true;
    measured.successes.inc();
    onWorking();
    onFollowing(true);
  };
  const timer = clock.setTimeout(begin, settleMs);
  try {
    for await (const { podSandboxStatus, createdAt } of cri.runtime.getContainerEvents(
      {},
      { signal, timeoutMs: Number.POSITIVE_INFINITY },
    )) {
      begin();
      measured.latency.observe(Math.max(0, clock.nowMs() - Number(createdAt / 1_000_000n)) / 1000);
      const uid = podSandboxStatus?.labels[podUidLabel] ?? podSandboxStatus?.metadata?.uid ?? "";
      if (uid !== "") onPod(uid);
    }
  } finally {
    timer.clear();
  }
}

const eventMetrics = (metrics: Metrics) => ({
  errors: metrics.counter({
    name: "orchlet_evented_pleg_connection_error_count",
    help: "The number of errors encountered during the establishment of streaming connection with the CRI runtime.",
  }),
  successes: metrics.counter({
    name: "orchlet_evented_pleg_connection_success_count",
    help: "The number of times a streaming client was obtained to receive CRI Events.",
  }),
  latency: metrics.histogram({
    name: "orchlet_evented_pleg_connection_latency_seconds",
    help: "The latency of streaming connection with the CRI runtime, measured in seconds.",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  }),
});
