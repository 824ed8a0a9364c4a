import type { FlowController } from "./flow-controller.ts";

type Row = readonly (string | number | boolean)[];

/** Rows as lines of comma-separated columns, as in upstream's dumps. */
function table(head: Row, rows: readonly Row[]): string {
  return [head, ...rows].map((row) => `${row.join(", ")}\n`).join("");
}

/** `dump_priority_levels`: the state of each level. */
export function dumpPriorityLevels(controller: FlowController): string {
  return table(
    ["PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests", "ExecutingRequests"],
    controller.levels.map((level) => [
      level.name,
      level.queues.filter(({ waiting }) => waiting.length > 0).length,
      level.executing === 0 && level.queued === 0,
      false,
      level.queued,
      level.executing,
    ]),
  );
}

/** `dump_queues`: the queues with waiting requests. */
export function dumpQueues(controller: FlowController): string {
  return table(
    ["PriorityLevelName", "Index", "PendingRequests", "VirtualStart"],
    controller.levels.flatMap((level) =>
      level.queues.flatMap(({ waiting, virtual }, index) =>
        waiting.length === 0 ? [] : [[level.name, index, waiting.length, virtual]],
      ),
    ),
  );
}

/** `dump_requests`: the waiting requests, in order. */
export function dumpRequests(controller: FlowController): string {
  return table(
    ["PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher", "ArriveTime"],
    controller.levels.flatMap((level) =>
      level.queues.flatMap(({ waiting }, queue) =>
        waiting.map(({ flow, sinceMs }, index) => {
          const [schema = "", distinguisher = ""] = JSON.parse(flow) as readonly string[];
          return [level.name, schema, queue, index, distinguisher, new Date(sinceMs).toISOString()];
        }),
      ),
    ),
  );
}

const dumps: Readonly<Record<string, (controller: FlowController) => string>> = {
  "/debug/api_priority_and_fairness/dump_priority_levels": dumpPriorityLevels,
  "/debug/api_priority_and_fairness/dump_queues": dumpQueues,
  "/debug/api_priority_and_fairness/dump_requests": dumpRequests,
};

/** The text of a debug page; undefined for other paths. */
export function flowControlDump(controller: FlowController, path: string): string | undefined {
  return Object.hasOwn(dumps, path) ? dumps[path]?.(controller) : undefined;
}
