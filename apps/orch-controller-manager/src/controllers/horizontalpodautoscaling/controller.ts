import { isNotFound, keyOf, type Selector } from "@orchernetes/apimachinery";
import { type EventType, referenceTo } from "@orchernetes/client";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { messageOf } from "../../shared/message-of.ts";
import { horizontalPodAutoscalers, pods as podsRef } from "../../shared/refs.ts";
import { createRestMapper } from "../../shared/rest-mapper.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { setCondition } from "./conditions.ts";
import { emptyHistory, rememberScale, type ScalingHistory } from "./limits/history.ts";
import { createMetricsClient } from "./metrics/metrics-client.ts";
import { proposalOf } from "./metrics/proposal.ts";
import {
  type AutoscalerState,
  type Decision,
  type HorizontalPodAutoscaler,
  type Measured,
  needsMetrics,
  type Rescaled,
  reconcile,
  type Scale,
  statusAfter,
} from "./reconcile.ts";
import { getScale, putScale, type ScaleTarget } from "./scale-target.ts";
import { ambiguity, selectorOfScale } from "./selector.ts";

/** Scales what HorizontalPodAutoscalers point at by its metrics. */
export const horizontalPodAutoscalingController: ControllerDescriptor = {
  name: "horizontalpodautoscaling",
  serviceAccount: "horizontal-pod-autoscaler",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, config, logger, recorder, signal } = context;
  const { hpa: settings } = config;
  const queue = new WorkQueue({ name: "horizontalpodautoscaler", clock, metrics: context.queueMetrics });
  const hpas = context.informers.informer(horizontalPodAutoscalers);
  const pods = context.informers.informer(podsRef);
  const mapper = createRestMapper(client, clock);
  const metricsClient = createMetricsClient(client, mapper, clock);
  const histories = new Map<string, ScalingHistory>();
  /** By namespace, then by the autoscaler's name. */
  const selectors = new Map<string, Map<string, Selector>>();

  const later = (hpa: HorizontalPodAutoscaler): void => queue.addAfter(keyOf(hpa), settings.syncPeriodMs);
  hpas.addHandler({
    onAdd: (hpa) => queue.add(keyOf(hpa)),
    // Writes of the status come back as updates: the period is what keeps this from going round and round.
    onUpdate: (_, hpa) => later(hpa),
    onDelete(hpa) {
      const { namespace = "", name } = hpa.metadata;
      histories.delete(keyOf(hpa));
      selectors.get(namespace)?.delete(name);
      if (selectors.get(namespace)?.size === 0) selectors.delete(namespace);
    },
  });

  const tell = (hpa: HorizontalPodAutoscaler, type: EventType, reason: string, message: string): void =>
    recorder.event(referenceTo(horizontalPodAutoscalers, hpa), type, reason, message);

  const updateStatus = async (
    hpa: HorizontalPodAutoscaler,
    status: HorizontalPodAutoscaler["status"],
  ): Promise<void> => {
    if (semanticEqual(status, hpa.status)) return;
    try {
      await client.resource(horizontalPodAutoscalers).updateStatus({ ...hpa, status });
    } catch (error) {
      if (isNotFound(error)) return;
      tell(hpa, "Warning", "FailedUpdateStatus", messageOf(error));
      throw error;
    }
  };

  const measure = async (hpa: HorizontalPodAutoscaler, scale: Scale): Promise<Measured> => {
    const { namespace = "", name } = hpa.metadata;
    const specReplicas = scale.spec?.replicas ?? 0;
    if (!needsMetrics(hpa, specReplicas)) return { type: "unneeded" };
    const selector = selectorOfScale(scale.status?.selector);
    if ("type" in selector) return selector;
    const known = selectors.get(namespace) ?? new Map<string, Selector>();
    selectors.set(namespace, known.set(name, selector));
    const selected = pods.lister.list(namespace).filter(({ metadata }) => selector.matches(metadata.labels));
    const clash = ambiguity(selector, namespace, selected, known);
    if (clash !== undefined) return clash;
    const statusReplicas = scale.status?.replicas ?? 0;
    const outcomes = [];
    for (const spec of hpa.spec.metrics ?? []) {
      const now = clock.now();
      const asked = { client: metricsClient, namespace, specReplicas, statusReplicas, selector, now };
      const { containerMetrics } = settings;
      outcomes.push(await proposalOf(spec, { ...asked, pods: selected, rules: settings, containerMetrics }));
    }
    return { type: "outcomes", outcomes };
  };

  /** A target without a scale: nothing else can be told about it. */
  const scaleFailed = async (hpa: HorizontalPodAutoscaler, error: unknown): Promise<never> => {
    const message = messageOf(error);
    tell(hpa, "Warning", "FailedGetScale", message);
    const condition = {
      type: "AbleToScale",
      status: "False",
      reason: "FailedGetScale",
      message: `the HPA controller was unable to get the target's current scale: ${message}`,
    } as const;
    const { desiredReplicas = 0, conditions = [] } = hpa.status ?? {};
    const next = { ...hpa.status, desiredReplicas, conditions: setCondition(conditions, condition, clock.now()) };
    await updateStatus(hpa, next);
    const { kind, name } = hpa.spec.scaleTargetRef;
    throw new Error(`failed to query scale subresource for ${kind}/${hpa.metadata.namespace}/${name}: ${message}`);
  };

  const rescale = async (
    hpa: HorizontalPodAutoscaler,
    target: ScaleTarget,
    { rescale: wanted }: Decision,
  ): Promise<Rescaled> => {
    if (wanted === undefined) return "unneeded";
    const { to, reason } = wanted;
    try {
      await putScale(client, target, to);
    } catch (error) {
      const failure = messageOf(error);
      tell(hpa, "Warning", "FailedRescale", `New size: ${to}; reason: ${reason}; error: ${failure}`);
      return { failure };
    }
    tell(hpa, "Normal", "SuccessfulRescale", `New size: ${to}; reason: ${reason}`);
    logger.info("Rescaled", { autoscaler: keyOf(hpa), from: target.scale.spec?.replicas ?? 0, to, reason });
    return "done";
  };

  const autoscale = async (key: string, hpa: HorizontalPodAutoscaler): Promise<void> => {
    const { namespace = "" } = hpa.metadata;
    const target = await getScale(client, mapper, namespace, hpa.spec.scaleTargetRef).catch((error: unknown) =>
      scaleFailed(hpa, error),
    );
    const { scale } = target;
    const history = histories.get(key) ?? emptyHistory;
    const { downscaleStabilizationMs } = settings;
    const measured = await measure(hpa, scale);
    const state: AutoscalerState = { hpa, scale, measured, history, downscaleStabilizationMs };
    const decision = reconcile(state, clock.now());
    for (const { of, reason, message } of decision.events) tell(hpa, of, reason, message);
    const rescaled = await rescale(hpa, target, decision);
    const now = clock.now();
    if (hpas.lister.byKey(key) !== undefined) {
      const from = scale.spec?.replicas ?? 0;
      const to = rescaled === "done" ? (decision.rescale?.to ?? from) : from;
      // Only policies ask for past changes.
      histories.set(
        key,
        hpa.spec.behavior === undefined ? decision.history : rememberScale(decision.history, from, to, now),
      );
    }
    await updateStatus(hpa, statusAfter(state, decision, rescaled, now));
    if (typeof rescaled === "object") throw new Error(`failed to rescale ${key}: ${rescaled.failure}`);
    if (decision.error !== undefined) throw new Error(decision.error);
  };

  const sync = async (key: string): Promise<number | undefined> => {
    const hpa = hpas.lister.byKey(key);
    if (hpa === undefined) return undefined;
    try {
      await autoscale(key, hpa);
    } catch (error) {
      // What the cluster lacks now is looked for again at the usual pace.
      logger.v(2)?.info("Autoscaling failed", { autoscaler: key, error: messageOf(error) });
    }
    return settings.syncPeriodMs;
  };

  await Promise.all([hpas.waitForSync(signal), pods.waitForSync(signal)]);
  await runWorkers({
    name: "horizontalpodautoscaling",
    queue,
    workers: settings.concurrentSyncs,
    sync,
    signal,
    logger,
    clock,
  });
}
