import type { Store } from "@orchernetes/storage";
import type { HealthCheck } from "../interfaces/index.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";

/** Whether the watch caches follow the store. */
export function informerSyncCheck(registry: Pick<ResourceRegistry, "notReady">): HealthCheck {
  return {
    name: "informer-sync",
    check: () => {
      const waiting = registry.notReady();
      if (waiting.length > 0) throw new Error(`watch caches not started yet: ${waiting.join(", ")}`);
    },
  };
}

/** The checks every server has: ping, log, etcd, informer-sync and shutdown (the last two concern readiness alone). */
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
