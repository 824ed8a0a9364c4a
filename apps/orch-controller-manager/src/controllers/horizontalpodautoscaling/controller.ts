import { isNotFound, keyOf } from "@orchernetes/apimachinery";
import { type EventType, referenceTo } from "@orchernetes/client";
import { inOrder, type Plan } from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { defineController, type ManagerContext } from "../../shared/define-controller.ts";
import { horizontalPodAutoscalers, pods as podsRef } from "../../shared/refs.ts";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { AutoscalerReader } from "./gather.ts";
import { emptyHistory, rememberScale, type ScalingHistory } from "./limits/history.ts";
import {
  createAutoscalingMetrics,
  type ErrorLabel,
  errorLabel,
  type ScalingAction,
  scalingAction,
} from "./metrics/autoscaling-metrics.ts";
import { SpecError } from "./metrics/pod-metric.ts";
import {
  type AutoscalerEvent,
  type AutoscalerState,
  type Decision,
  type HorizontalPodAutoscaler,
  type Rescaled,
  reconcile,
  setCondition,
  statusAfter,
} from "./reconcile.ts";
import { putScale, type ScaleTarget } from "./scale-target.ts";
import { autoscalingFlags, autoscalingSettings } from "./settings.ts";

/** An autoscaler with the scale of its target, or with the reason why the scale cannot be read. */
type State =
  | {
      readonly type: "scalable";
      readonly hpa: HorizontalPodAutoscaler;
      readonly target: ScaleTarget;
      readonly state: AutoscalerState;
      /** When the sync began, in milliseconds of the monotonic clock. */
      readonly startMs: number;
    }
  | {
      readonly type: "unscalable";
      readonly hpa: HorizontalPodAutoscaler;
      readonly message: string;
      /** Whether the autoscaler names no kind that there is. */
      readonly invalidSpec: boolean;
      readonly startMs: number;
    };

type Action =
  | ({ readonly type: "Event" } & AutoscalerEvent)
  /** Rescales the target if necessary, and writes the status. */
  | {
      readonly type: "Apply";
      readonly decision: Decision;
      readonly target: ScaleTarget;
      readonly state: AutoscalerState;
    }
  /** Reports that the target has no scale. */
  | { readonly type: "ReportNoScale"; readonly message: string };

function plan(state: State, now: Date): readonly Action[] {
  if (state.type === "unscalable") return [{ type: "ReportNoScale", message: state.message }];
  const decision = reconcile(state.state, now);
  const { target } = state;
  return [
    ...decision.events.map((event) => ({ type: "Event", ...event }) as const),
    { type: "Apply", decision, target, state: state.state },
  ];
}

/**
 * Scales the targets of HorizontalPodAutoscalers according to their metrics. Each autoscaler is synced once per period.
 * The histories for stabilization and scaling policies are kept in memory only, as in the original: a new leader starts
 * without them.
 *
 * Source: "Horizontal Pod Autoscaling" of the documentation.
 */
export const horizontalPodAutoscalingController = defineController({
  name: "horizontalpodautoscaling",
  serviceAccount: "horizontal-pod-autoscaler",
  gates: ["HPAContainerMetrics"],
  flags: autoscalingFlags,
  settings: autoscalingSettings,
  build(shell, settings) {
    const { client, clock, logger } = shell.context;
    const { downscaleStabilizationMs } = settings;
    const queue = shell.queue("horizontalpodautoscaler");
    const hpas = shell.informer(horizontalPodAutoscalers);
    const pods = shell.informer(podsRef);
    const metrics = createAutoscalingMetrics(shell.context.metrics);
    const reader = new AutoscalerReader({ client, clock, settings, metrics, pods: pods.lister });
    const observe = ({ startMs }: State, action: ScalingAction, error: ErrorLabel): void =>
      metrics.reconciled(action, error, clock.monotonicMs() - startMs);
    const histories = new Map<string, ScalingHistory>();
    hpas.addHandler({
      onAdd: (hpa) => queue.add(keyOf(hpa)),
      // The controller's own status writes are updates, too; the delay prevents a loop.
      onUpdate: (_, hpa) => queue.addAfter(keyOf(hpa), settings.syncPeriodMs),
      onDelete(hpa) {
        histories.delete(keyOf(hpa));
        reader.forget(hpa);
      },
    });
    const { record, rescale, updateStatus } = writesOf(shell.context);

    shell.loop({
      queue,
      workers: settings.workers,
      // A failure, such as a missing metric, is retried at the normal period.
      failed(error, key) {
        logger.v(2)?.info("Autoscaling failed", { autoscaler: key, error: messageOf(error) });
        return settings.syncPeriodMs;
      },
      async gather(key): Promise<State | undefined> {
        const hpa = hpas.lister.byKey(key);
        if (hpa === undefined) return undefined;
        const startMs = clock.monotonicMs();
        const target = await reader.scaleOf(hpa).catch((error: unknown) => ({ error }));
        if ("error" in target) {
          const invalidSpec = target.error instanceof SpecError;
          return { type: "unscalable", hpa, message: messageOf(target.error), invalidSpec, startMs };
        }
        const { scale } = target;
        const history = histories.get(key) ?? emptyHistory;
        const measured = await reader.measure(hpa, scale);
        const state: AutoscalerState = { hpa, scale, measured, history, downscaleStabilizationMs };
        return { type: "scalable", hpa, target, state, startMs };
      },
      reconcile: (state, now): Plan<Action> => ({ actions: plan(state, now), requeueAfterMs: settings.syncPeriodMs }),
      carryOut: inOrder<Action, State>({
        Event: ({ of, reason, message }, { hpa }) => record(hpa, of, reason, message),
        async Apply({ decision, target, state }, gathered, key) {
          const { hpa } = gathered;
          const rescaled = await rescale(hpa, target, decision);
          const now = clock.now();
          if (hpas.lister.byKey(key) !== undefined) {
            histories.set(key, historyAfter(state, decision, rescaled, now));
          }
          const to = rescaled === "done" ? decision.rescale?.to : undefined;
          const from = state.scale.spec?.replicas ?? 0;
          observe(gathered, scalingAction(from, to ?? from), errorOf(state, decision, rescaled));
          await updateStatus(hpa, statusAfter(state, decision, rescaled, now));
          if (typeof rescaled === "object") throw new Error(`failed to rescale ${key}: ${rescaled.failure}`);
          if (decision.error !== undefined) throw new Error(decision.error);
        },
        async ReportNoScale({ message }, gathered) {
          const { hpa } = gathered;
          observe(gathered, "none", errorLabel(gathered.type === "unscalable" ? gathered : {}));
          record(hpa, "Warning", "FailedGetScale", message);
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
          const what = `${kind}/${hpa.metadata.namespace}/${name}`;
          throw new Error(`failed to query scale subresource for ${what}: ${message}`);
        },
      }),
    });
  },
});

/** The label of a sync's error, which is that of its first metric that failed. */
function errorOf({ measured }: AutoscalerState, { error }: Decision, rescaled: Rescaled): ErrorLabel {
  if (typeof rescaled === "object") return "internal";
  if (error === undefined) return "none";
  const first = measured.type === "outcomes" && measured.outcomes.find(({ type }) => type === "failure");
  return errorLabel(first && first.type === "failure" ? first : {});
}

/** The history after a sync. Scale events are recorded only if the autoscaler has policies, which limit them. */
function historyAfter(state: AutoscalerState, decision: Decision, rescaled: Rescaled, now: Date): ScalingHistory {
  if (state.hpa.spec.behavior === undefined) return decision.history;
  const from = state.scale.spec?.replicas ?? 0;
  const to = rescaled === "done" ? (decision.rescale?.to ?? from) : from;
  return rememberScale(decision.history, from, to, now);
}

/** The writes of the controller: events, scales and the status. */
function writesOf({ client, recorder, logger }: ManagerContext) {
  const record = (hpa: HorizontalPodAutoscaler, type: EventType, reason: string, message: string): void =>
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
      record(hpa, "Warning", "FailedUpdateStatus", messageOf(error));
      throw error;
    }
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
      record(hpa, "Warning", "FailedRescale", `New size: ${to}; reason: ${reason}; error: ${failure}`);
      return { failure };
    }
    record(hpa, "Normal", "SuccessfulRescale", `New size: ${to}; reason: ${reason}`);
    logger.info("Rescaled", { autoscaler: keyOf(hpa), from: target.scale.spec?.replicas ?? 0, to, reason });
    return "done";
  };
  return { record, rescale, updateStatus };
}
