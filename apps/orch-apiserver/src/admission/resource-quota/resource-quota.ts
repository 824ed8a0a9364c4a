import { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { type Amounts, isExemptFromQuota, quotaEvaluatorFor, resourceListOf } from "@orchernetes/component-helpers";
import { KeyedQueue } from "@orchernetes/kernel";
import { plainRefusal, refusal } from "../shared/attributes.ts";
import type { ConfiguredPlugin } from "../shared/plugin.ts";
import { withKnown } from "../shared/plugin.ts";
import { checkQuota, concernOf, increase } from "./check-quota.ts";
import { type LimitedResources, uncovered } from "./uncovered.ts";

/** Only what is stored in a namespace takes something away from others. */
function isCounted({ definition, namespace, subresource, resource }: AdmissionAttributes): boolean {
  if (namespace === "" || subresource !== "" || definition?.scope !== "Namespaced") return false;
  return definition.storagePrefix !== undefined && !isExemptFromQuota(resource.group, resource.resource);
}

/**
 * Plugin ResourceQuota: refuses what would take more than the namespace's quotas allow, and charges their status with what is
 * let in, by compare-and-swap, so that servers side by side never let in too much. A write that fails later stays charged
 * until the quota controller counts again. What the configuration limits may be taken only under a quota that counts it.
 */
function resourceQuota(limitedResources: LimitedResources): AdmissionPlugin {
  const queue = new KeyedQueue();
  const limit = async (
    attributes: AdmissionAttributes,
    quotas: readonly core.ResourceQuota[],
    context: AdmissionContext,
  ): Promise<void> => {
    const { object, operation, namespace } = attributes;
    if (object === undefined) return;
    const evaluator = quotaEvaluatorFor(attributes.resource.group, attributes.resource.resource);
    if ((operation !== "CREATE" && operation !== "UPDATE") || !evaluator.operations.has(operation)) return;
    const delta = increase(evaluator, object, operation === "UPDATE" ? attributes.oldObject : undefined, context.now);
    const refuse = (detail: string) => refusal(attributes, detail);
    const covers = quotas.map((quota) => {
      const concern = concernOf(quota, evaluator, object);
      if (concern.type === "refused") throw refuse(concern.detail);
      return { quota, limited: concern.type === "concerned" ? concern.limited : undefined };
    });
    if (delta.size === 0) return;
    const usage = evaluator.usage(object, context.now);
    const gap = uncovered({ evaluator, object, usage }, limitedResources, covers);
    if (gap !== undefined) throw gap.of === "scopes" ? plainRefusal(gap.detail) : refuse(gap.detail);
    const judge = (quota: core.ResourceQuota): Amounts | undefined => {
      const verdict = checkQuota(quota, evaluator, object, delta);
      if (verdict.type === "refused") throw refuse(verdict.detail);
      return verdict.type === "charged" ? verdict.used : undefined;
    };
    // All are checked before any is charged, so that a denial leaves nothing behind.
    const concerned = quotas.filter((quota) => judge(quota) !== undefined);
    if (concerned.length === 0 || attributes.dryRun) return;
    await queue.run(namespace, async () => {
      for (const quota of concerned) await charge(quota, judge, context);
    });
  };
  return {
    name: "ResourceQuota",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    validate(attributes, context) {
      if (attributes.object === undefined || !isCounted(attributes)) return;
      const { namespace } = attributes;
      const known = context.registry.forDefinition(core.resourceQuotas).recentList({ namespace });
      const unlimited = limitedResources.length === 0;
      return withKnown(known, (quotas) =>
        quotas.length === 0 && unlimited ? undefined : limit(attributes, quotas, context),
      );
    },
  };
}

async function charge(
  quota: core.ResourceQuota,
  judge: (quota: core.ResourceQuota) => Amounts | undefined,
  context: AdmissionContext,
): Promise<void> {
  const ref = { namespace: quota.metadata.namespace ?? "", name: quota.metadata.name ?? "" };
  try {
    await context.registry.forDefinition(core.resourceQuotas).update(
      ref,
      (draft, current) => {
        const used = judge(current);
        if (used === undefined) return false;
        draft.status = { ...draft.status, used: resourceListOf(used) };
        return true;
      },
      { subresource: "status", signal: context.signal },
    );
  } catch (error) {
    // A deleted quota limits nothing any more.
    if (!isNotFound(error)) throw error;
  }
}

/** {@link resourceQuota}; every server has its own queue. */
export const resourceQuotaPlugin: ConfiguredPlugin = {
  name: "ResourceQuota",
  create: ({ configuration }) => resourceQuota(configuration.ResourceQuota?.limitedResources ?? []),
};
