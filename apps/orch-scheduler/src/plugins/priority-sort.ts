import type { QueueSortPlugin } from "../framework/interfaces.ts";

/** QueueSort PrioritySort: pods of higher priority first; of equal priority, the one that was added, or failed last, earlier. */
export const prioritySort: QueueSortPlugin = {
  name: "PrioritySort",
  less: (a, b) => a.info.priority > b.info.priority || (a.info.priority === b.info.priority && a.order < b.order),
};
