import { core, policy } from "@orchernetes/api";
import {
  ApiError,
  badRequest,
  type Draft,
  internalError,
  isConflict,
  isNotFound,
  labelSelectorAsSelector,
} from "@orchernetes/apimachinery";
import type { DeleteOptions, RequestContext, RequestHandler } from "@orchernetes/apiserver";
import { isPodActive, isPodReady } from "@orchernetes/component-helpers";
import type { Config } from "../config.ts";
import { leaseConditionOf } from "./lease-condition.ts";

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** Pods whose loss no budget counts: done, or not yet started. */
const isFree = (pod: core.Pod): boolean => !isPodActive(pod) || pod.status.phase === "Pending";

async function budgetsOf(pod: core.Pod, context: RequestContext): Promise<readonly policy.PodDisruptionBudget[]> {
  const namespace = pod.metadata.namespace ?? "";
  const budgets = await context.registry.forDefinition(policy.podDisruptionBudgets).recentList({ namespace });
  return budgets.filter(
    ({ spec }) => spec.selector !== undefined && labelSelectorAsSelector(spec.selector).matches(pod.metadata.labels),
  );
}

function tooMany(message: string, budget: string, retryAfterSeconds?: number): ApiError {
  const cause = { reason: "DisruptionBudget", message };
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: "TooManyRequests",
    details: {
      causes: [{ ...cause, message: message || `The disruption budget ${budget} does not allow it` }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
    code: 429,
  });
}

/** Takes one disruption from the budget, in its status, so that concurrent evictions cannot overdraw it. */
async function spendBudget(
  budget: policy.PodDisruptionBudget,
  podName: string,
  { dryRun = false, condition }: DeleteOptions,
  context: RequestContext,
): Promise<void> {
  const { name = "", namespace = "" } = budget.metadata;
  await context.registry.forDefinition(policy.podDisruptionBudgets).update(
    { namespace, name },
    (draft: Draft<policy.PodDisruptionBudget>, current) => {
      const { status, metadata } = current;
      if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
        throw tooMany(`The disruption budget ${name} is still being processed by the server.`, name, 10);
      if (status.disruptionsAllowed < 0)
        throw internalError(new Error(`pdb disruptions allowed is negative: ${status.disruptionsAllowed}`));
      if (Object.keys(status.disruptedPods ?? {}).length > 2000)
        throw internalError(
          new Error("DisruptedPods map too big - too many evictions not confirmed by PDB controller"),
        );
      if (status.disruptionsAllowed === 0)
        throw tooMany(
          `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`,
          name,
        );
      draft.status.disruptionsAllowed--;
      draft.status.disruptedPods = {
        ...draft.status.disruptedPods,
        [podName]: context.now.toISOString().replace(/\.\d+Z$/, "Z"),
      };
    },
    { subresource: "status", bare: true, dryRun, signal: context.signal, ...(condition && { condition }) },
  );
}

function deleteOptionsOf(eviction: policy.Eviction, context: RequestContext): DeleteOptions {
  const { gracePeriodSeconds, preconditions, propagationPolicy } = eviction.deleteOptions ?? {};
  const condition = leaseConditionOf(context.req, context.requestInfo);
  return {
    user: context.user,
    // Admission has seen the eviction: the deletion is a part of it.
    admission: false,
    dryRun: context.dryRun || (eviction.deleteOptions?.dryRun?.length ?? 0) > 0,
    signal: context.signal,
    ...(condition && { condition }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && {
      preconditions: {
        ...(preconditions.uid && { uid: preconditions.uid }),
        ...(preconditions.resourceVersion && { resourceVersion: preconditions.resourceVersion }),
      },
    }),
    ...(propagationPolicy && { propagationPolicy: propagationPolicy as "Orphan" | "Background" | "Foreground" }),
  };
}

/**
 * Records in the pod's status that it is deleted by an eviction, so that a client that waits for it can distinguish a disruption from a
 * failure (KEP-3329).
 * @returns the options of the deletion, whose precondition follows the pod's new version
 */
async function announceEviction(
  pod: core.Pod,
  options: DeleteOptions,
  context: RequestContext,
): Promise<DeleteOptions> {
  const { name = "", namespace = "", uid, resourceVersion } = pod.metadata;
  const { preconditions } = options;
  // The deletion rejects a pod that is not the one that was meant; such a pod must not get the condition.
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) return options;
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) return options;
  const announced = await context.registry.forDefinition(core.pods).update(
    { namespace, name },
    (draft: Draft<core.Pod>, current) => {
      if (current.metadata.uid !== uid) return;
      const others = (current.status.conditions ?? []).filter(({ type }) => type !== "DisruptionTarget");
      const lastTransitionTime = context.now.toISOString().replace(/\.\d+Z$/, "Z");
      const reason = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
      const condition = { type: "DisruptionTarget", status: "True" as const, ...reason, lastTransitionTime };
      draft.status.conditions = [...others, condition];
    },
    {
      subresource: "status",
      bare: true,
      ...(options.dryRun === undefined ? {} : { dryRun: options.dryRun }),
      ...(options.condition && { condition: options.condition }),
      signal: context.signal,
    },
  );
  if (preconditions?.resourceVersion === undefined || options.dryRun) return options;
  const version = announced.metadata.resourceVersion;
  return { ...options, preconditions: { ...preconditions, ...(version && { resourceVersion: version }) } };
}

/** `pods/eviction`: a delete that respects disruption budgets. */
export const podEvictionHandler = ({ featureEnabled }: Pick<Config, "featureEnabled">): RequestHandler => ({
  verbs: ["create"],
  async handle(context) {
    const { namespace, name } = context.requestInfo;
    const eviction = context.body as policy.Eviction | undefined;
    if (eviction === undefined) throw badRequest("an Eviction is expected in the body; found none");
    if ((eviction.metadata.name || name) !== name)
      throw badRequest("name in URL does not match name in Eviction object");
    const pods = context.registry.forDefinition(core.pods);
    const pod = await pods.get({ namespace, name }, { signal: context.signal });
    await context.admit("CREATE", eviction);
    const options = deleteOptionsOf(eviction, context);
    if (!isFree(pod)) {
      const budgets = await budgetsOf(pod, context);
      if (budgets.length > 1)
        throw internalError(
          new Error("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."),
        );
      const [budget] = budgets;
      if (budget !== undefined && !mayGoUnhealthy(pod, budget)) await spendBudget(budget, name, options, context);
    }
    try {
      const announces = featureEnabled("PodDisruptionConditions");
      await pods.delete({ namespace, name }, announces ? await announceEviction(pod, options, context) : options);
    } catch (error) {
      if (!isNotFound(error) || isConflict(error)) throw error;
    }
    return { type: "object", object: success, status: 201 };
  },
});

/** A pod that is not ready does not count as healthy: losing it costs nothing while the budget is met (or always, if the policy says so). */
function mayGoUnhealthy(pod: core.Pod, budget: policy.PodDisruptionBudget): boolean {
  if (isPodReady(pod)) return false;
  if (budget.spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return budget.status.currentHealthy >= budget.status.desiredHealthy && budget.status.desiredHealthy > 0;
}
