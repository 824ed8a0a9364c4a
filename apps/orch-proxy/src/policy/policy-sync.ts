import type { core, networking } from "@orchernetes/api";
import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import { type EventLoop, type InterruptibleSteps, LongWork } from "@orchernetes/kernel";
import type { PolicyTable } from "@orchernetes/proxy";
import type { ProxyHost } from "../proxy-host.ts";
import { BoundedRunner } from "../sync/bounded-runner.ts";
import type { PolicyInformers } from "./policy-informers.ts";
import type { PolicyLoader } from "./policy-loader.ts";
import type { PolicyMetrics } from "./policy-metrics.ts";
import { UnenforcedPolicies } from "./unenforced-policies.ts";

/** What {@link PolicySync} works with. */
export interface PolicySyncOptions {
  readonly host: Pick<ProxyHost, "clock" | "events" | "health" | "logger" | "signal">;
  /** The shortest and the longest interval between synchronizations, in milliseconds. */
  readonly periods: { readonly minSyncPeriod: number; readonly syncPeriod: number };
  readonly informers: PolicyInformers;
  readonly table: PolicyTable;
  readonly loader: PolicyLoader;
  readonly metrics: PolicyMetrics;
  readonly loop: EventLoop;
}

/** Name of this part in the health of the daemon. */
const PART = "network policies";
/** How many of the errors of a policy are logged. */
const MAX_REPORTED = 10;

/** Follows policies and what they select, and keeps their table in the packet filter. */
export class PolicySync {
  readonly #options: PolicySyncOptions;
  readonly #runner: BoundedRunner;
  readonly #work: LongWork;
  readonly #unenforced: UnenforcedPolicies;
  /** By key: policies that have changed since the last synchronization; undefined if they are gone. */
  readonly #changedPolicies = new Map<string, Stored<networking.NetworkPolicy> | undefined>();
  #isFollowingPods = false;

  constructor(options: PolicySyncOptions) {
    const { clock, logger, events } = options.host;
    const { minSyncPeriod, syncPeriod } = options.periods;
    this.#options = options;
    this.#work = new LongWork(options.loop);
    this.#unenforced = new UnenforcedPolicies(events, logger);
    this.#runner = new BoundedRunner(
      { clock, minIntervalMs: minSyncPeriod, maxIntervalMs: syncPeriod },
      () => this.#sync(),
      (error, retryMs) => logger.error(error, "Unable to synchronize network policies", { retryMs }),
    );
  }

  /** Follows the cluster until the host's signal aborts. Pods and namespaces do not matter before there is a policy. */
  follow(): void {
    const { informers } = this.#options;
    // To read a large policy takes a while, so that is done once for all changes until the next synchronization.
    const setPolicy = (policy: Stored<networking.NetworkPolicy>): void => {
      this.#followPods();
      this.#changed(() => this.#changedPolicies.set(keyOf(policy), policy));
    };
    informers.policies.addHandler({
      onAdd: setPolicy,
      onUpdate: (_, policy) => setPolicy(policy),
      onDelete: (policy) => this.#changed(() => this.#changedPolicies.set(keyOf(policy), undefined)),
    });
    this.#run(informers.policies);
  }

  /** Stops synchronizing. The table stays: policies hold without the daemon. */
  stop(): Promise<void> {
    return this.#runner.stop();
  }

  #followPods(): void {
    if (this.#isFollowingPods) return;
    this.#isFollowingPods = true;
    const { informers, table } = this.#options;
    informers.pods.addHandler({
      onAdd: (pod) => this.#setPod(keyOf(pod), pod),
      onUpdate: (_, pod) => this.#setPod(keyOf(pod), pod),
      onDelete: (pod) => this.#setPod(keyOf(pod), undefined),
    });
    informers.namespaces.addHandler({
      onAdd: ({ metadata }) => this.#changed(() => table.setNamespace(metadata.name, metadata.labels ?? {})),
      onUpdate: (_, { metadata }) => this.#changed(() => table.setNamespace(metadata.name, metadata.labels ?? {})),
      onDelete: ({ metadata }) => this.#changed(() => table.setNamespace(metadata.name, undefined)),
    });
    this.#run(informers.pods);
    this.#run(informers.namespaces);
  }

  #run<T extends ApiObject>(informer: Informer<T>): void {
    const { signal } = this.#options.host;
    void informer.run(signal);
    informer.waitForSync(signal).then(
      () => this.#request(),
      // The daemon stops.
      () => undefined,
    );
  }

  #setPod(key: string, pod: Stored<core.Pod> | undefined): void {
    const { table, host } = this.#options;
    this.#changed(() => {
      const conflicts = table.setPod(key, pod);
      if (conflicts.length > 0)
        host.logger.warn("Pods of several nodes report the same address", { pod: key, conflicts });
    });
  }

  *#setPolicies(): InterruptibleSteps<void> {
    const { table, host } = this.#options;
    for (const [key, policy] of this.#changedPolicies) {
      this.#changedPolicies.delete(key);
      const errors = table.setPolicy(key, policy);
      if (errors.length > 0)
        host.logger.warn("Parts of a network policy are not valid and match nothing", {
          policy: key,
          count: errors.length,
          errors: errors.slice(0, MAX_REPORTED),
        });
      yield;
    }
  }

  #changed(change: () => void): void {
    change();
    this.#request();
  }

  /**
   * Whether all objects are known. With a part of them, connections that policies allow would be dropped: until then the
   * table of a former process is better.
   */
  #isComplete(): boolean {
    const { policies, pods, namespaces } = this.#options.informers;
    return policies.hasSynced() && (!this.#isFollowingPods || (pods.hasSynced() && namespaces.hasSynced()));
  }

  #request(): void {
    if (!this.#isComplete()) return;
    this.#options.host.health.queued(PART);
    this.#runner.request();
  }

  async #sync(): Promise<void> {
    // A first policy may have come in between: then the end of the lists is another request.
    if (!this.#isComplete()) return;
    const { table, loader, metrics, host, informers } = this.#options;
    const startMs = host.clock.monotonicMs();
    try {
      await this.#work.run(this.#setPolicies());
      await loader.load(table);
      this.#unenforced.report(table.unenforced, (key) => informers.policies.lister.byKey(key));
      host.health.updated(PART);
    } catch (error) {
      metrics.failures.inc();
      throw error;
    } finally {
      metrics.syncDuration.observe((host.clock.monotonicMs() - startMs) / 1000);
    }
  }
}
