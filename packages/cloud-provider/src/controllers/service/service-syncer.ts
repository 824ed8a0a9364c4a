import type { core } from "@orchernetes/api";
import { keyOf } from "@orchernetes/apimachinery";
import { type Client, type EventRecorder, type EventType, type Lister, referenceTo } from "@orchernetes/client";
import { type Clock, KeyedQueue, type Logger, messageOf } from "@orchernetes/kernel";
import type { CloudNode, CloudService, LoadBalancers } from "../../provider/cloud-provider.ts";
import { valueOrThrow } from "../../provider/cloud-result.ts";
import { servicesRef } from "../../refs.ts";
import type { CallContexts } from "../cloud-context.ts";
import { inParallel } from "../in-parallel.ts";
import { wantsLoadBalancer } from "./load-balancer-service.ts";
import { type NodeRules, sameNodes } from "./node-predicates.ts";
import type { ServiceMetrics } from "./service-metrics.ts";
import { ServiceWrites } from "./service-writes.ts";

/** What a {@link ServiceSyncer} works with. */
export interface ServiceSyncerOptions {
  readonly balancers: LoadBalancers;
  readonly client: Client;
  readonly services: Lister<core.Service>;
  readonly nodes: Lister<core.Node>;
  readonly rules: NodeRules;
  readonly calls: CallContexts;
  readonly recorder: EventRecorder;
  readonly metrics: ServiceMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Number of load balancers whose nodes are updated concurrently. */
  readonly workers: number;
}

const noNodes = "There are no available nodes for LoadBalancer";

/** Carries out what is decided about load balancers: calls the provider, writes the services and records events. */
export class ServiceSyncer {
  readonly #options: ServiceSyncerOptions;
  readonly #writes: ServiceWrites;
  readonly #queue = new KeyedQueue();
  /** Services whose load balancers may exist, as they were when they were last synced, by key. */
  readonly #synced = new Map<string, CloudService>();
  /** The nodes at the end of the last update of all load balancers. */
  #lastNodes: readonly CloudNode[] = [];

  constructor(options: ServiceSyncerOptions) {
    this.#options = options;
    this.#writes = new ServiceWrites(options.client);
  }

  /** The service of a key as it was last synced. */
  synced(key: string): CloudService | undefined {
    return this.#synced.get(key);
  }

  /** Deletes the load balancer of a service that does not exist any more. @throws CloudCallError */
  deleteLost(lost: CloudService): Promise<void> {
    const key = keyOf(lost);
    return this.#queue.run(key, async () => {
      if (wantsLoadBalancer(lost)) {
        const { balancers, calls } = this.#options;
        this.#event(lost, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
        const deleted = await balancers.ensureDeleted(lost, calls.writing());
        if (!deleted.ok) {
          const message = `Error deleting load balancer: ${deleted.error.message}`;
          this.#event(lost, "Warning", "DeleteLoadBalancerFailed", message);
        }
        valueOrThrow("failed to delete load balancer", deleted);
        this.#event(lost, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
      }
      this.#synced.delete(key);
    });
  }

  /** Creates or updates the load balancer. @throws CloudCallError, ApiError; an event says so */
  ensure(service: CloudService): Promise<void> {
    return this.#sync(service, async () => {
      const { balancers, calls } = this.#options;
      this.#event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
      // Before the load balancer exists, so that the service cannot go without it.
      await during("failed to add load balancer cleanup finalizer", () => this.#writes.addFinalizer(service));
      const nodes = this.#servingNodes();
      if (nodes.length === 0) this.#event(service, "Warning", "UnAvailableLoadBalancer", noNodes);
      const ensured = await balancers.ensure(service, nodes, calls.writing());
      if (!ensured.ok && ensured.error.code === "ImplementedElsewhere") return;
      if (!ensured.ok && ensured.error.withdrawsStatus === true) await this.#withdraw(service);
      const status = valueOrThrow("failed to ensure load balancer", ensured);
      this.#event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
      await during("failed to update load balancer status", () => this.#writes.writeStatus(service, status));
    });
  }

  /** Deletes the load balancer, if there is one, and removes the finalizer. @throws CloudCallError, ApiError; an event says so */
  release(service: CloudService): Promise<void> {
    return this.#sync(service, async () => {
      const { balancers, calls } = this.#options;
      const found = await balancers.get(service, calls.reading());
      const exists = valueOrThrow("failed to check if load balancer exists before cleanup", found) !== undefined;
      if (exists) {
        this.#event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
        const deleted = await balancers.ensureDeleted(service, calls.writing());
        const elsewhere = !deleted.ok && deleted.error.code === "ImplementedElsewhere";
        if (!elsewhere) valueOrThrow("failed to delete load balancer", deleted);
      }
      await during("failed to remove load balancer cleanup finalizer", () => this.#writes.removeFinalizer(service));
      this.#event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
      await during("failed to update load balancer status", () => this.#writes.writeStatus(service, {}));
      this.#synced.delete(keyOf(service));
    });
  }

  /** Updates the nodes of all load balancers whose nodes have changed; resolves with the keys of those that failed. */
  async updateNodes(): Promise<readonly string[]> {
    const { clock, metrics, nodes, workers } = this.#options;
    const startMs = clock.monotonicMs();
    const now = nodes.list("");
    const before = this.#lastNodes;
    const failed: string[] = [];
    await inParallel([...this.#synced.values()], workers, async (service) => {
      if (!(await this.#updateNodesOf(service, before, now))) failed.push(keyOf(service));
    });
    this.#lastNodes = now;
    metrics.syncTook(clock.monotonicMs() - startMs);
    return failed;
  }

  async #updateNodesOf(
    service: CloudService,
    before: readonly CloudNode[],
    now: readonly CloudNode[],
  ): Promise<boolean> {
    const { metrics, rules, logger } = this.#options;
    if (!wantsLoadBalancer(service)) return true;
    const serving = now.filter(rules.serves);
    if (sameNodes(before.filter(rules.serves), serving)) return true;
    try {
      await this.#queue.run(keyOf(service), () => this.#update(service, serving));
      return true;
    } catch (error) {
      logger.error(error, "Updating the nodes of a load balancer failed", { service: keyOf(service) });
      metrics.updateFailed();
      return false;
    }
  }

  async #update(service: CloudService, nodes: readonly CloudNode[]): Promise<void> {
    const { balancers, calls, clock, metrics, logger } = this.#options;
    const startMs = clock.monotonicMs();
    metrics.updated();
    const updated = await balancers.update(service, nodes, calls.writing());
    metrics.updateTook(clock.monotonicMs() - startMs);
    if (updated.ok) {
      await this.#writeUpdated(service, updated.value);
      if (nodes.length === 0) this.#event(service, "Warning", "UnAvailableLoadBalancer", noNodes);
      else this.#event(service, "Normal", "UpdatedLoadBalancer", "Updated load balancer with new hosts");
      return;
    }
    if (updated.error.code === "ImplementedElsewhere") return;
    if (updated.error.withdrawsStatus === true) await this.#withdraw(service);
    // It is an error only if the load balancer still exists.
    const found = await balancers.get(service, calls.reading());
    if (found.ok && found.value === undefined) return;
    if (!found.ok) {
      logger.warn("Could not check if a load balancer exists", { service: keyOf(service), err: found.error.message });
    }
    const names = `map[${nodes.map(({ metadata }) => `${metadata.name}:{}`).join(" ")}]`;
    const message = `Error updating load balancer with new hosts ${names}: ${updated.error.message}`;
    this.#event(service, "Warning", "UpdateLoadBalancerFailed", message);
    valueOrThrow("failed to update load balancer hosts", updated);
  }

  async #writeUpdated(service: CloudService, status: core.LoadBalancerStatus | undefined): Promise<void> {
    if (status === undefined) return;
    // The service was synced before its status was written.
    const latest = this.#options.services.byKey(keyOf(service));
    if (latest?.metadata.uid === service.metadata.uid) await this.#writes.writeStatus(latest, status);
  }

  #withdraw(service: CloudService): Promise<void> {
    return during("failed to remove the addresses of the load balancer", () => this.#writeUpdated(service, {}));
  }

  /** Runs a sync while no other one of the same service runs, and records its error as an event. */
  #sync(service: CloudService, work: () => Promise<void>): Promise<void> {
    const key = keyOf(service);
    return this.#queue.run(key, async () => {
      // Also before the first call succeeds: a part of the load balancer may exist.
      this.#synced.set(key, service);
      try {
        await work();
      } catch (error) {
        const message = `Error syncing load balancer: ${messageOf(error)}`;
        this.#event(service, "Warning", "SyncLoadBalancerFailed", message);
        throw error;
      }
    });
  }

  #servingNodes(): readonly CloudNode[] {
    return this.#options.nodes.list("").filter(this.#options.rules.serves);
  }

  #event(service: CloudService, type: EventType, reason: string, message: string): void {
    this.#options.recorder.event(referenceTo(servicesRef, service), type, reason, message);
  }
}

/** Does work whose errors name the attempt. */
async function during(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
