import { keyOf } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { inOrder } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { resourceQuotas } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { Monitors } from "./monitors.ts";
import { type QuotaAction, type QuotaState, reconcile } from "./reconcile.ts";

/**
 * Computes the usage of each ResourceQuota. Admission charges new objects in advance; this controller corrects the
 * usage when objects are deleted or shrink, and in periodic full syncs. Changes of the status alone cause no sync.
 */
export const resourceQuotaController = defineController({
  name: "resourcequota",
  serviceAccount: "resourcequota-controller",
  flags: flagSection("Resource quota controller", {
    "concurrent-resource-quota-syncs": {
      field: "ResourceQuotaController.ConcurrentResourceQuotaSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of resource quotas that are synced concurrently.",
    },
    "resource-quota-sync-period": {
      field: "ResourceQuotaController.ResourceQuotaSyncPeriod",
      type: "duration",
      default: "5m0s",
      min: 1,
      help: "Interval between recalculations of quota usage.",
    },
  }),
  settings: ({ document: { ResourceQuotaController: section } }) => ({
    workers: section.ConcurrentResourceQuotaSyncs,
    syncPeriodMs: section.ResourceQuotaSyncPeriod,
  }),
  build(shell, settings) {
    const { client } = shell.context;
    const queue = shell.queue("resourcequota_primary");
    const quotas = shell.informer(resourceQuotas);
    const monitors = new Monitors(shell.context, quotas.lister, (key) => queue.add(key));
    quotas.addHandler({
      onAdd: (quota) => queue.add(keyOf(quota)),
      onUpdate(old, quota) {
        if (!semanticEqual(old.spec, quota.spec)) queue.add(keyOf(quota));
      },
    });
    shell.every(settings.syncPeriodMs, () => {
      for (const quota of quotas.lister.list()) queue.add(keyOf(quota));
    });
    shell.loop({
      queue,
      workers: settings.workers,
      async gather(key): Promise<QuotaState | undefined> {
        const quota = quotas.lister.byKey(key);
        if (quota === undefined) return undefined;
        const { namespace = "" } = quota.metadata;
        return { quota, stock: await monitors.stock(Object.keys(quota.spec.hard ?? {}), namespace) };
      },
      reconcile,
      carryOut: inOrder<QuotaAction, QuotaState>({
        UpdateStatus: async ({ quota }) => void (await client.resource(resourceQuotas).updateStatus(quota)),
      }),
    });
  },
});
