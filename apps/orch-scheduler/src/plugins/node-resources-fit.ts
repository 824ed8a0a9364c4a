import { core } from "@orchernetes/api";
import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { MAX_RESOURCES, type ResourceColumn } from "../cache/resource-columns.ts";
import { stateKey } from "../framework/cycle-state.ts";
import {
  ClusterEvent,
  evictable,
  type FilterPlugin,
  type NodeFilter,
  neverOutdated,
  type PreFilterPlugin,
} from "../framework/interfaces.ts";
import { amountShortfall, type Shortfall } from "../framework/shortfall.ts";
import { resourcesHint } from "./node-hints.ts";

/** Extended resources that are not checked, because an extender or a device plugin decides about them. */
export interface IgnoredResources {
  readonly ignoredResources: readonly string[];
  /** Groups: what is before the `/` of a resource's name. */
  readonly ignoredResourceGroups: readonly string[];
}

type Requests = readonly (readonly [resource: string, amount: number])[];
const checkedRequests = stateKey<Requests>("NodeResourcesFit");

/** Filter NodeResourcesFit: the pod's requests must be available on the node, and the node must accept another pod. */
export function nodeResourcesFit(ignored?: IgnoredResources): PreFilterPlugin & FilterPlugin {
  const isChecked = checks(ignored);
  const requestsOf = ({ requests }: PodInfo): Requests =>
    [...requests].filter(([resource, amount]) => amount !== 0 && isChecked(resource));
  return {
    name: "NodeResourcesFit",
    events: ClusterEvent.NodeAdded | ClusterEvent.NodeAllocatable | ClusterEvent.PodDeleted,
    hint: resourcesHint,
    outdatedBy: neverOutdated,
    preFilter(pod, _, state) {
      const requests = requestsOf(pod);
      if (requests.length > MAX_RESOURCES)
        return { rejected: `pod requests too many kinds of resources: ${requests.length}` };
      state.set(checkedRequests, requests);
      return undefined;
    },
    filter: (pod, nodes, state) => filterOf(state.get(checkedRequests) ?? requestsOf(pod), nodes),
  };
}

function checks(ignored: IgnoredResources | undefined): (resource: string) => boolean {
  const names = new Set(ignored?.ignoredResources);
  const groups = new Set(ignored?.ignoredResourceGroups);
  if (names.size + groups.size === 0) return () => true;
  // Only extended resources, whose names have a group, can be ignored; not those of the system, even if their names have one.
  return (resource) =>
    !core.isExtendedResource(resource) ||
    !(names.has(resource) || groups.has(resource.slice(0, resource.indexOf("/"))));
}

function filterOf(requests: Requests, nodes: NodeTable): NodeFilter {
  const { podCount, allowedPods } = nodes;
  const reasons = [evictable("Too many pods")];
  const amounts: number[] = [];
  const names: string[] = [];
  const columns: (ResourceColumn | undefined)[] = [];
  for (const [resource, amount] of requests) {
    amounts.push(amount);
    names.push(resource);
    // A resource without column is offered by no node.
    columns.push(nodes.columns.get(resource));
    reasons.push(evictable(`Insufficient ${resource}`));
  }
  const lacks = (i: number, slot: number): boolean => {
    const column = columns[i];
    return column === undefined || (amounts[i] ?? 0) > (column.allocatable[slot] ?? 0) - (column.requested[slot] ?? 0);
  };
  return {
    reasons,
    check(slot) {
      if ((podCount[slot] ?? 0) + 1 > (allowedPods[slot] ?? 0)) return 1;
      for (let i = 0; i < amounts.length; i++) if (lacks(i, slot)) return i + 2;
      return 0;
    },
    podChanged: "unaffected",
    readsAmountsOnly: true,
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
}
