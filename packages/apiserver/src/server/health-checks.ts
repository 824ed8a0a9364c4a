import type { Store } from "@orchernetes/storage";
import type { HealthCheck } from "../interfaces/index.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";

/**
 * Fails until all watch caches have listed their objects. Named as upstream's check, whose informers have the same
 * purpose.
 */
export function informerSyncCheck(registry: Pick<ResourceRegistry, "notReady">): HealthCheck {
  return {
    name: "informer-sync",
    check: () => {
      const waiting = registry.notReady();
      if (waiting.length > 0) throw new Error(`watch caches not started yet: ${waiting.join(", ")}`);
    },
  };
}

/**
 * The checks of every server: ping, log, etcd, informer-sync and shutdown. The last two are meant for readiness only:
 * restarting a server (liveness) would not help it.
 */
export function serverHealthChecks(
  store: Store,
  registry: ResourceRegistry,
  shuttingDown: () => boolean,
): readonly HealthCheck[] {
  return [
    { name: "ping", check: () => {} },
    { name: "log", check: () => {} },
    { name: "etcd", check: (signal) => store.health(signal) },
    informerSyncCheck(registry),
    {
      name: "shutdown",
      check: () => {
        if (shuttingDown()) throw new Error("process is shutting down");
      },
    },
  ];
}
