import type { core, discovery } from "@orchernetes/api";
import type { ServiceRules } from "@orchernetes/proxy";
import type { ServiceHealth } from "../health/service-health.ts";
import type { ProxyHost } from "../proxy-host.ts";
import { deleteSplit, setSplit, splitAtLoopback } from "../state/loopback-endpoints.ts";
import { BoundedRunner } from "../sync/bounded-runner.ts";
import type { ServiceBackend } from "./service-backend.ts";
import { nodeFactsOf } from "./service-settings.ts";

/** Follows services and endpoints, and passes what changes to a backend that serves them. */
export class ServiceSync {
  readonly #host: ProxyHost;
  readonly #rules: ServiceRules;
  readonly #backend: ServiceBackend;
  readonly #serviceHealth: ServiceHealth;
  readonly #runner: BoundedRunner;
  #isReady = false;

  constructor(host: ProxyHost, rules: ServiceRules, backend: ServiceBackend, serviceHealth: ServiceHealth) {
    const { clock, logger } = host;
    const { minSyncPeriod, syncPeriod } = host.config.settings.iptables;
    this.#host = host;
    this.#rules = rules;
    this.#backend = backend;
    this.#serviceHealth = serviceHealth;
    this.#runner = new BoundedRunner(
      { clock, minIntervalMs: minSyncPeriod, maxIntervalMs: syncPeriod },
      () => this.#sync(),
      (error, retryMs) => logger.error(error, "Unable to synchronize services", { retryMs }),
    );
  }

  /**
   * Follows the cluster, and resolves when all objects are known. Nothing is synchronized before: until then the rules of a former
   * process are better than rules for a part of the objects.
   *
   * @throws the reason of the signal when it aborts first
   */
  async follow(): Promise<void> {
    const { informers, signal } = this.#host;
    const { services, endpointSlices, node } = informers;
    services.addHandler({
      onAdd: (service) => this.#serviceChanged(service),
      onUpdate: (old, service) => (old === service ? this.#request() : this.#serviceChanged(service)),
      onDelete: (service) => this.#serviceChanged(service, "deleted"),
    });
    endpointSlices.addHandler({
      onAdd: (slice) => this.#sliceChanged(slice),
      onUpdate: (old, slice) => (old === slice ? this.#request() : this.#sliceChanged(slice)),
      onDelete: (slice) => this.#sliceChanged(slice, "deleted"),
    });
    const setNode = (known: core.Node | undefined) => {
      this.#rules.setNode(nodeFactsOf(known));
      this.#request();
    };
    node.addHandler({ onAdd: setNode, onUpdate: (_, known) => setNode(known), onDelete: () => setNode(undefined) });
    await Promise.all([services, endpointSlices, node].map((informer) => informer.waitForSync(signal)));
    this.#isReady = true;
    this.#changed();
  }

  /** Stops synchronizing, and what this process serves itself. */
  async stop(): Promise<void> {
    await this.#runner.stop();
    await Promise.all([this.#backend.close(), this.#serviceHealth.close()]);
  }

  #serviceChanged(service: core.Service, change: "set" | "deleted" = "set"): void {
    if (change === "set") this.#rules.setService(service);
    else this.#rules.deleteService(service);
    this.#host.changes.serviceChanged();
    this.#changed();
  }

  #sliceChanged(slice: discovery.EndpointSlice, change: "set" | "deleted" = "set"): void {
    const { loopbackPorts } = this.#host.config.settings;
    if (change === "set") setSplit(this.#rules, slice, splitAtLoopback(slice, loopbackPorts));
    else deleteSplit(this.#rules, slice);
    this.#host.changes.endpointsChanged(change === "set" ? slice.metadata.annotations : undefined);
    this.#changed();
  }

  /** Objects that arrive before all are known do not count as waiting: a slow API server must not make this daemon unhealthy. */
  #changed(): void {
    if (!this.#isReady) return;
    this.#host.changes.queued();
    this.#host.health.queued();
    this.#request();
  }

  #request(): void {
    if (this.#isReady) this.#runner.request();
  }

  async #sync(): Promise<void> {
    const { changes, health, logger } = this.#host;
    const done = changes.begin();
    try {
      const change = this.#rules.takeChange();
      for (const [service, problems] of change.problems)
        logger.warn("A service is not served as specified", { service, problems });
      await this.#backend.apply(this.#rules, change);
      await this.#serviceHealth.sync(this.#rules.healthChecks());
      health.updated();
      done("synced");
    } catch (error) {
      done("failed");
      throw error;
    }
  }
}
