import { readFileSync } from "node:fs";
import type { Check, Logger } from "@orchernetes/component";
import { openEmbeddedStore, openEtcdStore, type Revision, type Store } from "@orchernetes/storage";
import type { StoreConfig } from "./config.ts";

/** Opens the configured store. @throws StoreError */
export function openStore(config: StoreConfig, logger: Logger): Promise<Store> {
  const log = { ...adapt(logger.child({ component: "store" })) };
  switch (config.type) {
    case "embedded":
      return openEmbeddedStore({ path: config.path, logger: log });
    case "etcd3": {
      const { type: _, ...options } = config;
      return openEtcdStore({ ...options, logger: log });
    }
  }
}

/** The store's logger has plain errors among its values. */
function adapt(
  logger: Logger,
): Pick<Logger, "info" | "warn"> & { error(message: string, values?: Readonly<Record<string, unknown>>): void } {
  return {
    info: (message, values) => logger.info(message, values),
    warn: (message, values) => logger.warn(message, values),
    error: (message, values) => logger.error(undefined, message, values),
  };
}

/** Check `etcd` (whatever the engine): the store answers within the time. */
export function storeCheck(name: string, store: Store, timeoutMs: number): Check {
  return {
    name,
    async check(signal) {
      await store.health(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    },
  };
}

/**
 * Forgets history older than one interval: every interval, up to the revision that was current at the one before, so that
 * watches and continued lists have at least that long.
 */
export function compactPeriodically(
  store: Store,
  options: { readonly intervalMs: number; readonly logger: Logger; readonly signal: AbortSignal },
): void {
  const { intervalMs, logger, signal } = options;
  if (intervalMs <= 0) return;
  let before: Revision | undefined;
  const compact = async () => {
    try {
      const now = await store.revision();
      if (before !== undefined) await store.compact(before);
      before = now;
    } catch (error) {
      logger.error(error, "Compaction of the store failed; it is tried again", { intervalMs });
    }
  };
  void compact();
  const timer = setInterval(() => void compact(), intervalMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** Text of a PEM file; undefined for "". */
export function readOptional(file: string): string | undefined {
  return file === "" ? undefined : readFileSync(file, "utf8");
}
