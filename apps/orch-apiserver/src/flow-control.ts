import { flowcontrolV1beta3 } from "@orchernetes/api";
import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import {
  FlowController,
  type FlowControlMetrics,
  type FlowSchemaConfiguration,
  flowControlDump,
  type PriorityLevelConfiguration,
  type Registry,
} from "@orchernetes/apiserver";
import { type Metrics, respond } from "@orchernetes/component";
import { systemClock } from "@orchernetes/storage";
import type { Flags } from "./config.ts";
import type { HttpResponder } from "./non-resource-routes.ts";

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

/** Priority and fairness of a server, by its flags; undefined when it is off. Until objects are read the mandatory ones apply. */
export function createFlowController(flags: Flags, metrics: Metrics): FlowController | undefined {
  if (!flags["enable-priority-and-fairness"]) return undefined;
  return new FlowController({
    seats: flags["max-requests-inflight"] + flags["max-mutating-requests-inflight"],
    waitMs: flags["request-timeout"] / WAIT_PART,
    clock: systemClock,
    metrics: flowControlMetrics(metrics),
    configuration: {
      flowSchemas: mandatory(mandatoryFlowSchemas),
      priorityLevels: mandatory(mandatoryPriorityLevels),
    },
  });
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

const BUCKETS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

function flowControlMetrics(metrics: Metrics): FlowControlMetrics {
  const labelNames = ["priority_level", "flow_schema"] as const;
  const name = (what: string) => `apiserver_flowcontrol_${what}`;
  const dispatched = metrics.counter({
    name: name("dispatched_requests_total"),
    help: "Requests that were let in.",
    labelNames,
  });
  const rejected = metrics.counter({
    name: name("rejected_requests_total"),
    help: "Requests that were turned away, by reason.",
    labelNames: [...labelNames, "reason"] as const,
  });
  const executing = metrics.gauge({
    name: name("current_executing_requests"),
    help: "Requests being worked on, or watches being started.",
    labelNames,
  });
  const queued = metrics.gauge({
    name: name("current_inqueue_requests"),
    help: "Requests that wait in queues.",
    labelNames,
  });
  const waited = metrics.histogram({
    name: name("request_wait_duration_seconds"),
    help: "Time that requests waited in queues, in seconds.",
    labelNames: [...labelNames, "execute"] as const,
    buckets: BUCKETS,
  });
  return {
    counts(level, schema) {
      const labels = [level, schema];
      const total = dispatched.with(level, schema);
      return {
        dispatched: () => total.inc(),
        rejected: (reason) => rejected.inc([level, schema, reason]),
        executing: (delta) => executing.inc(labels, delta),
        queued: (delta) => queued.inc(labels, delta),
        waited: (seconds, execute) => waited.observe(seconds, [level, schema, String(execute)]),
      };
    },
  };
}
