import { type ApiObject, keyOf } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import { isExemptFromQuota, type QuotaEvaluator, quotaEvaluatorFor } from "@orchernetes/component-helpers";
import { runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import type { DiscoveredResource } from "../../shared/discovery.ts";
import { persistentVolumeClaims, pods, resourceQuotas, services } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { type QuotaAction, type QuotaState, reconcile } from "./reconcile.ts";

/** Counts what the namespaces of quotas hold. */
export const resourceQuotaController: ControllerDescriptor = {
  name: "resourcequota",
  serviceAccount: "resourcequota-controller",
  enabledByDefault: true,
  start: run,
};

interface Monitor {
  readonly evaluator: QuotaEvaluator;
  readonly informer: Informer<ApiObject>;
}

/** Between two looks at what the server serves, for names that no resource is known for. */
const discoveryPeriodMs = 30_000;

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, signal, config, discovery } = context;
  const queue = new WorkQueue({ name: "resourcequota_primary", clock, metrics: context.queueMetrics });
  const quotas = context.informers.informer(resourceQuotas);
  const monitors = new Map<string, Monitor>();

  /** What is gone, or takes less, gives room. What comes is charged by admission, and counted in the next round. */
  const recount = (evaluator: QuotaEvaluator, object: ApiObject): void => {
    for (const quota of quotas.lister.list(object.metadata.namespace ?? "")) {
      if (Object.keys(quota.spec.hard ?? {}).some((name) => evaluator.limits(name))) queue.add(keyOf(quota));
    }
  };
  const monitor = (evaluator: QuotaEvaluator, informer: Informer<ApiObject>): Monitor => {
    const added: Monitor = { evaluator, informer };
    monitors.set(`${evaluator.group}/${evaluator.plural}`, added);
    informer.addHandler({
      onUpdate(old, object) {
        const now = clock.now();
        const [before, after] = [evaluator.usage(old, now), evaluator.usage(object, now)];
        const changed = before.size !== after.size || [...after].some(([name, q]) => before.get(name)?.cmp(q) !== 0);
        if (changed) recount(evaluator, object);
      },
      onDelete: (object) => recount(evaluator, object),
    });
    return added;
  };
  for (const ref of [pods, services, persistentVolumeClaims]) {
    monitor(quotaEvaluatorFor(ref.group, ref.plural), context.informers.informer<ApiObject>(ref));
  }
  quotas.addHandler({
    onAdd: (quota) => queue.add(keyOf(quota)),
    onUpdate(old, quota) {
      if (!semanticEqual(old.spec, quota.spec)) queue.add(keyOf(quota));
    },
  });

  let served: readonly DiscoveredResource[] = [];
  let servedAtMs = Number.NEGATIVE_INFINITY;
  const discover = async (): Promise<readonly DiscoveredResource[]> => {
    if (clock.monotonicMs() - servedAtMs > discoveryPeriodMs) {
      servedAtMs = clock.monotonicMs();
      served = (await discovery.refresh()).resources;
    }
    return served;
  };
  /** The monitor of the resource that a name limits; undefined when the server has none. */
  const monitorFor = async (name: string): Promise<Monitor | undefined> => {
    const known = [...monitors.values()].find(({ evaluator }) => evaluator.limits(name));
    if (known !== undefined) return known;
    const resource = (await discover()).find(
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
      monitors.get(`${group}/${plural}`) ??
      monitor(quotaEvaluatorFor(group, plural), context.informers.informer<ApiObject>(resource))
    );
  };

  const gather = async (key: string): Promise<QuotaState | undefined> => {
    const quota = quotas.lister.byKey(key);
    if (quota === undefined) return undefined;
    const concerned = new Set<Monitor>();
    for (const name of Object.keys(quota.spec.hard ?? {})) {
      const found = await monitorFor(name);
      if (found !== undefined) concerned.add(found);
    }
    const stock: QuotaState["stock"][number][] = [];
    for (const { evaluator, informer } of concerned) {
      await informer.waitForSync(signal);
      stock.push({ evaluator, objects: informer.lister.list(quota.metadata.namespace ?? "") });
    }
    return { quota, stock };
  };

  const resync = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(config.resourceQuotaSyncPeriodMs, signal).catch(() => undefined);
      for (const quota of quotas.lister.list()) queue.add(keyOf(quota));
    }
  };

  await quotas.waitForSync(signal);
  void resync();
  await runController<QuotaState, QuotaAction>(
    {
      name: "resourcequota",
      queue,
      workers: config.concurrentResourceQuotaSyncs,
      gather,
      reconcile,
      async carryOut(actions) {
        for (const { quota } of actions) await client.resource(resourceQuotas).updateStatus(quota);
      },
    },
    { signal, logger, clock },
  );
}
