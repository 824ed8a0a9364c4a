import { coordination } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Clock } from "@orchernetes/kernel";
import type { BootstrapContext, PostStartHook } from "../post-start/hooks.ts";
import type { StorageVersionPublisher } from "../storage-versions/storage-version-publisher.ts";

const LEASE_POLL_MS = 100;
/** What is published is looked at this often, because others may have changed it. */
const REPEAT_MS = 10 * 60_000;

/** What {@link storageVersionHook} publishes, and whose identity it waits for. */
export interface StorageVersionHookOptions {
  readonly publisher: StorageVersionPublisher;
  /** Name of the server's identity lease. */
  readonly serverId: string;
  readonly clock: Clock;
}

/**
 * Publishes the versions in which resources are stored, once the server has its identity lease: records of servers without one are
 * collected. The server is not ready before all are published.
 */
export function storageVersionHook({ publisher, serverId, clock }: StorageVersionHookOptions): PostStartHook {
  return {
    name: "built-in-resources-storage-version-updater",
    async run(context) {
      const { registry, signal } = context;
      while (!(await hasLease(context, serverId))) await clock.sleep(LEASE_POLL_MS, signal);
      await publisher.publish(registry, signal);
      void repeat(context, publisher, clock);
    },
  };
}

async function hasLease({ registry, signal }: BootstrapContext, name: string): Promise<boolean> {
  try {
    await registry.forDefinition(coordination.leases).get({ namespace: "orch-system", name }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** A failure is logged; the next turn tries again. */
async function repeat(
  { registry, signal, logger }: BootstrapContext,
  publisher: StorageVersionPublisher,
  clock: Clock,
): Promise<void> {
  for (;;) {
    await clock.sleep(REPEAT_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await publisher.publish(registry, signal);
    } catch (error) {
      if (!signal.aborted) logger.error(error, "The versions in which resources are stored could not be published");
    }
  }
}
