import type { core } from "@orchernetes/api";
import { type ApiObject, keyOf } from "@orchernetes/apimachinery";
import type { Informer, Lister } from "@orchernetes/client";
import { isExemptFromQuota, type QuotaEvaluator, quotaEvaluatorFor } from "@orchernetes/component-helpers";
import type { ManagerContext } from "../../shared/define-controller.ts";
import type { DiscoveredResource } from "../../shared/discovery.ts";
import { persistentVolumeClaims, pods, services } from "../../shared/refs.ts";
import type { QuotaState } from "./reconcile.ts";

/** A resource that quotas limit, and its objects. */
interface Monitor {
  readonly evaluator: QuotaEvaluator;
  readonly informer: Informer<ApiObject>;
}

/** Minimum time between discoveries for names without a known resource. */
const discoveryPeriodMs = 30_000;

/**
 * Watches the resources that quotas limit: those with well-known names from the start, others when a quota names them.
 */
export class Monitors {
  readonly #context: ManagerContext;
  readonly #quotas: Lister<core.ResourceQuota>;
  readonly #enqueue: (key: string) => void;
  readonly #monitors = new Map<string, Monitor>();
  #served: readonly DiscoveredResource[] = [];
  #servedAtMs = Number.NEGATIVE_INFINITY;

  /** @param enqueue called with the keys of quotas whose usage must be computed again */
  constructor(context: ManagerContext, quotas: Lister<core.ResourceQuota>, enqueue: (key: string) => void) {
    this.#context = context;
    this.#quotas = quotas;
    this.#enqueue = enqueue;
    for (const ref of [pods, services, persistentVolumeClaims]) {
      this.#add(quotaEvaluatorFor(ref.group, ref.plural), context.informers.informer<ApiObject>(ref));
    }
  }

  /** The objects of a namespace that the names of a quota limit, when they are cached. */
  async stock(names: readonly string[], namespace: string): Promise<QuotaState["stock"]> {
    const concerned = new Set<Monitor>();
    for (const name of names) {
      const found = await this.#monitorFor(name);
      if (found !== undefined) concerned.add(found);
    }
    const stock: QuotaState["stock"][number][] = [];
    for (const { evaluator, informer } of concerned) {
      await informer.waitForSync(this.#context.signal);
      stock.push({ evaluator, objects: informer.lister.list(namespace) });
    }
    return stock;
  }

  /** The monitor of the resource that a name limits; undefined if the server does not serve it. */
  async #monitorFor(name: string): Promise<Monitor | undefined> {
    const known = [...this.#monitors.values()].find(({ evaluator }) => evaluator.limits(name));
    if (known !== undefined) return known;
    const resource = (await this.#discover()).find(
      ({ group, plural, scope, verbs }) =>
        scope === "Namespaced" &&
        verbs.has("list") &&
        verbs.has("watch") &&
        !isExemptFromQuota(group, plural) &&
        quotaEvaluatorFor(group, plural).limits(name),
    );
    if (resource === undefined) return undefined;
    const { group, plural } = resource;
    return (
      this.#monitors.get(`${group}/${plural}`) ??
      this.#add(quotaEvaluatorFor(group, plural), this.#context.informers.informer<ApiObject>(resource))
    );
  }

  async #discover(): Promise<readonly DiscoveredResource[]> {
    const { clock, discovery } = this.#context;
    if (clock.monotonicMs() - this.#servedAtMs > discoveryPeriodMs) {
      this.#served = (await discovery.refresh()).resources;
      this.#servedAtMs = clock.monotonicMs();
    }
    return this.#served;
  }

  #add(evaluator: QuotaEvaluator, informer: Informer<ApiObject>): Monitor {
    const added: Monitor = { evaluator, informer };
    this.#monitors.set(`${evaluator.group}/${evaluator.plural}`, added);
    informer.addHandler({
      onUpdate: (old, object) => {
        const now = this.#context.clock.now();
        const [before, after] = [evaluator.usage(old, now), evaluator.usage(object, now)];
        const changed = before.size !== after.size || [...after].some(([name, q]) => before.get(name)?.cmp(q) !== 0);
        if (changed) this.#recount(evaluator, object);
      },
      onDelete: (object) => this.#recount(evaluator, object),
    });
    return added;
  }

  /**
   * Enqueues quotas when usage decreases. Admission has already charged new objects; they are counted in the next full
   * sync.
   */
  #recount(evaluator: QuotaEvaluator, object: ApiObject): void {
    for (const quota of this.#quotas.list(object.metadata.namespace ?? "")) {
      if (Object.keys(quota.spec.hard ?? {}).some((name) => evaluator.limits(name))) this.#enqueue(keyOf(quota));
    }
  }
}
