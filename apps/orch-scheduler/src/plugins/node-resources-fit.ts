import type { ResourceColumn } from "../cache/node-table.ts";
import { ClusterEvent, evictable, type FilterPlugin } from "../framework/interfaces.ts";
import { amountShortfall, type Shortfall } from "../framework/shortfall.ts";
import { resourcesHint } from "./node-hints.ts";

/** Filter NodeResourcesFit: the pod's requests must be available on the node, and the node must accept another pod. */
export const nodeResourcesFit: FilterPlugin = {
  name: "NodeResourcesFit",
  events: ClusterEvent.NodeAdded | ClusterEvent.NodeAllocatable | ClusterEvent.PodDeleted,
  hint: resourcesHint,
  prepare({ requests }, nodes) {
    const { podCount, allowedPods } = nodes;
    const reasons = [evictable("Too many pods")];
    const amounts: number[] = [];
    const names: string[] = [];
    const columns: (ResourceColumn | undefined)[] = [];
    for (const [resource, amount] of requests) {
      if (amount === 0) continue;
      amounts.push(amount);
      names.push(resource);
      // A resource without column is offered by no node.
      columns.push(nodes.columns.get(resource));
      reasons.push(evictable(`Insufficient ${resource}`));
    }
    const lacks = (i: number, slot: number): boolean => {
      const column = columns[i];
      return (
        column === undefined || (amounts[i] ?? 0) > (column.allocatable[slot] ?? 0) - (column.requested[slot] ?? 0)
      );
    };
    return {
      reasons,
      check(slot) {
        if ((podCount[slot] ?? 0) + 1 > (allowedPods[slot] ?? 0)) return 1;
        for (let i = 0; i < amounts.length; i++) if (lacks(i, slot)) return i + 2;
        return 0;
      },
      checkAll(slot) {
        const verdicts = (podCount[slot] ?? 0) + 1 > (allowedPods[slot] ?? 0) ? [1] : [];
        for (let i = 0; i < amounts.length; i++) if (lacks(i, slot)) verdicts.push(i + 2);
        return verdicts;
      },
      shortfalls(slot) {
        const found: Shortfall[] = [];
        const room = (allowedPods[slot] ?? 0) - (podCount[slot] ?? 0);
        if (room < 1) found.push(amountShortfall("pods", 1, room));
        for (const [i, name] of names.entries()) {
          const { allocatable, requested } = columns[i] ?? {};
          const left = (allocatable?.[slot] ?? 0) - (requested?.[slot] ?? 0);
          if (lacks(i, slot)) found.push(amountShortfall(name, amounts[i] ?? 0, left));
        }
        return found;
      },
    };
  },
};
