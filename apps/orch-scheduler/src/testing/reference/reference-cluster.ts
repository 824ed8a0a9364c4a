import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { Snapshot } from "../../snapshot/snapshot.ts";

export type Pod = Stored<core.Pod>;
export type Node = Stored<core.Node>;

/**
 * The cluster as the reference sees it: lists of objects, which every rule reads from start to end. Nothing is prepared,
 * cached or counted in advance, so that each rule can be compared with the original's documentation and source.
 */
export interface ModelCluster {
  readonly objects: Snapshot;
  readonly nodes: readonly Node[];
  /** Pods by the name of their node. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
}

export function modelCluster(objects: Snapshot): ModelCluster {
  const nodes = objects.nodes.filter((node) => node !== null);
  const pods = new Map(
    nodes.map(({ metadata: { name } }) => [
      name,
      objects.placed.filter(({ node }) => node === name).map(({ pod }) => pod),
    ]),
  );
  return { objects, nodes, pods };
}

/** The cluster with further pods on a node. */
export function withPods(cluster: ModelCluster, node: string, more: readonly Pod[]): ModelCluster {
  return { ...cluster, pods: new Map(cluster.pods).set(node, [...podsOn(cluster, node), ...more]) };
}

export const podsOn = ({ pods }: ModelCluster, node: string): readonly Pod[] => pods.get(node) ?? [];

export const labelsOf = ({ metadata }: Node | Pod): Readonly<Record<string, string>> => metadata.labels ?? {};

/** Why a node is refused; empty if it is not. */
export type Verdict = readonly string[];

/** A filter of the reference. */
export interface ModelFilter {
  readonly plugin: string;
  /** Why no node can have the pod. */
  readonly rejects?: (pod: Pod, cluster: ModelCluster) => string | undefined;
  readonly refuses: (pod: Pod, node: Node, cluster: ModelCluster) => Verdict;
}

/** A score of the reference: a number from 0 to 100 for each node. */
export interface ModelScore {
  readonly plugin: string;
  readonly weight: number;
  readonly scores: (pod: Pod, feasible: readonly Node[], cluster: ModelCluster) => readonly number[];
}
