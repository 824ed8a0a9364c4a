import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@orchernetes/kernel";

/** Keeps this server's address among the endpoints of the cluster's own service (`--endpoint-reconciler-type`). */
export interface EndpointReconciler {
  /** Adds this server to the endpoints and removes servers that have stopped. Idempotent. */
  reconcile(): Promise<void>;
  /** Takes this server out. */
  remove(): Promise<void>;
}

/** How often {@link keepReconciled} comes. */
const reconcileIntervalMs = 10_000;

/** Reconciles now, rejecting if that fails, and then after each interval until `signal` aborts. */
export async function keepReconciled(
  reconciler: EndpointReconciler,
  { logger, signal, intervalMs = reconcileIntervalMs }: KeepOptions,
): Promise<void> {
  await reconciler.reconcile();
  const go = async () => {
    while (!signal.aborted) {
      await sleep(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await reconciler.reconcile().catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, "Endpoints of the API servers could not be updated");
      });
    }
  };
  void go();
}

/** How {@link keepReconciled} works. */
export interface KeepOptions {
  readonly logger: Pick<Logger, "error">;
  readonly signal: AbortSignal;
  /** @default 10_000 */
  readonly intervalMs?: number;
}
