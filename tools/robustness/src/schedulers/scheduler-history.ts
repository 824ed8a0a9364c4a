import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";

/** What became of a pod at a revision of the store. */
export interface PodEvent {
  readonly revision: number;
  readonly uid: string;
  readonly name: string;
  /** "" as long as it has none. */
  readonly node: string;
  /** Whether it was removed. */
  readonly removed: boolean;
}

/** What happened to the pods of a round, and the number of pods that each node has room for. */
export interface SchedulerHistory {
  readonly events: readonly PodEvent[];
  readonly capacities: Readonly<Record<string, number>>;
}

/** The event of a pod as a watch reports it. */
export const podEvent = ({ metadata, spec }: Stored<core.Pod>, removed: boolean): PodEvent => ({
  revision: Number(metadata.resourceVersion),
  uid: metadata.uid,
  name: metadata.name,
  node: spec.nodeName ?? "",
  removed,
});

/**
 * Checks what schedulers promise, however many of them take themselves for the leader: a pod that has a node keeps it, and no
 * node has more pods than it has room for at any revision.
 *
 * An event that was missed, because the watch had to be replaced, makes a pod seem to be bound later or removed earlier than
 * it was: a finding is always real.
 */
export function checkSchedulers({ events, capacities }: SchedulerHistory): readonly string[] {
  const findings: string[] = [];
  const nodeOf = new Map<string, string>();
  const on = new Map<string, Set<string>>();
  for (const { revision, uid, name, node, removed } of events.toSorted((a, b) => a.revision - b.revision)) {
    const before = nodeOf.get(uid) ?? "";
    if (before !== "" && node !== before)
      findings.push(`${revision}: pod ${name} (${uid}) was on node ${before}, and then on ${JSON.stringify(node)}`);
    if (removed) {
      on.get(before)?.delete(name);
      continue;
    }
    if (node === "" || node === before) continue;
    nodeOf.set(uid, node);
    const pods = on.get(node) ?? new Set();
    on.set(node, pods.add(name));
    const capacity = capacities[node] ?? 0;
    if (pods.size > capacity)
      findings.push(`${revision}: node ${node} has room for ${capacity} pods, and has ${[...pods].sort().join(", ")}`);
  }
  return findings;
}

/** Pods without a node although one has room, by the last events. */
export function waitingInVain({ events, capacities }: SchedulerHistory): readonly string[] {
  const last = new Map(events.toSorted((a, b) => a.revision - b.revision).map((event) => [event.uid, event]));
  const present = [...last.values()].filter(({ removed }) => !removed);
  const used = Map.groupBy(present, ({ node }) => node);
  const free = Object.entries(capacities).filter(([node, capacity]) => (used.get(node)?.length ?? 0) < capacity);
  if (free.length === 0) return [];
  return (used.get("") ?? []).map(({ name }) => `pod ${name} waits, although node ${free[0]?.[0]} has room`);
}
