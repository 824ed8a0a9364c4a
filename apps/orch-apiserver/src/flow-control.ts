import { flowcontrolV1beta3 } from "@orchernetes/api";
import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import {
  type ApiMetrics,
  FlowController,
  type FlowSchemaConfiguration,
  flowControlDump,
  type PriorityLevelConfiguration,
  type Registry,
} from "@orchernetes/apiserver";
import { type FeatureName, type Metrics, respond } from "@orchernetes/component";
import type { HttpResponder } from "@orchernetes/daemon-server";
import { systemClock } from "@orchernetes/kernel";
import type { Flags } from "./flags/index.ts";
import { flowControlMetrics } from "./metrics/flow-control-metrics.ts";
import { sampleLevels } from "./metrics/sampled-levels.ts";

/** A request waits for at most this part of its time. */
const WAIT_PART = 4;

const { mandatoryFlowSchemas, mandatoryPriorityLevels } = flowcontrolV1beta3;

interface Configured<S> {
  readonly name: string;
  readonly uid: string;
  readonly spec: S;
}

const mandatory = <S>(specs: Readonly<Record<string, S>>): Configured<S>[] =>
  Object.entries(specs).map(([name, spec]) => ({ name, uid: "", spec }));

/** Where flow control is measured. */
export interface FlowControlObservers {
  readonly metrics: Metrics;
  readonly inflight: Pick<ApiMetrics, "setInflight">;
  /** Ends the looking at the levels. */
  readonly signal: AbortSignal;
}

/** Priority and fairness of a server, by its flags and `featureEnabled`; undefined when it is off. Until objects are read the mandatory ones apply. */
export function createFlowController(
  flags: Pick<
    Flags,
    "enable-priority-and-fairness" | "max-requests-inflight" | "max-mutating-requests-inflight" | "request-timeout"
  >,
  { metrics, inflight, signal }: FlowControlObservers,
  featureEnabled: (gate: FeatureName) => boolean,
): FlowController | undefined {
  if (!flags["enable-priority-and-fairness"] || !featureEnabled("APIPriorityAndFairness")) return undefined;
  const limits = {
    readOnly: flags["max-requests-inflight"],
    mutating: flags["max-mutating-requests-inflight"],
  };
  const counts = flowControlMetrics(metrics, inflight);
  const controller = new FlowController({
    seats: limits.readOnly + limits.mutating,
    waitMs: flags["request-timeout"] / WAIT_PART,
    clock: systemClock,
    metrics: counts,
    configuration: {
      flowSchemas: mandatory(mandatoryFlowSchemas),
      priorityLevels: mandatory(mandatoryPriorityLevels),
    },
  });
  sampleLevels(metrics, { levels: () => controller.levels, byKind: counts.byKind, limits }, signal);
  return controller;
}

/** Keeps the controller at what the stored objects say, from the first full sight of them on. */
export function followFlowControl(controller: FlowController, registry: Registry, signal: AbortSignal): void {
  const schemas = new Map<string, FlowSchemaConfiguration>();
  const levels = new Map<string, PriorityLevelConfiguration>();
  const unsynced = new Set(["schemas", "levels"]);
  const apply = () => {
    if (unsynced.size > 0) return;
    const withMandatory = <S>(found: ReadonlyMap<string, Configured<S>>, specs: Readonly<Record<string, S>>) => [
      ...found.values(),
      ...mandatory(specs).filter(({ name }) => !found.has(name)),
    ];
    controller.configure({
      flowSchemas: withMandatory(schemas, mandatoryFlowSchemas),
      priorityLevels: withMandatory(levels, mandatoryPriorityLevels),
    });
  };
  const follow = <S, T extends ApiObject & { readonly spec?: S }>(
    definition: ResourceDefinition<T>,
    into: Map<string, Configured<S>>,
    what: string,
  ) =>
    registry.forDefinition(definition).follow(
      {
        onEvent: ({ type, object }) => {
          const { metadata, spec } = object as unknown as T;
          const name = metadata.name ?? "";
          if (type === "DELETED" || spec === undefined) into.delete(name);
          else into.set(name, { name, uid: metadata.uid ?? "", spec });
          apply();
        },
        onSynced: () => {
          unsynced.delete(what);
          apply();
        },
      },
      signal,
    );
  follow(flowcontrolV1beta3.flowSchemas, schemas, "schemas");
  follow(flowcontrolV1beta3.priorityLevelConfigurations, levels, "levels");
}

/** The pages `/debug/api_priority_and_fairness/dump_*`. */
export function flowControlPages(controller: FlowController): HttpResponder {
  return (request, response) => {
    const text = flowControlDump(controller, (request.url ?? "").split("?")[0] ?? "");
    if (text === undefined) return false;
    respond(request, response, 200, { "content-type": "text/plain; charset=utf-8" }, text);
    return true;
  };
}
