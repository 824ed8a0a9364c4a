import { readdir } from "node:fs/promises";
import { type AgentName, STORES, type StoreName } from "./options.ts";

/** What distinguishes the clusters that the suite is run against. */
export interface ClusterKind {
  readonly store: StoreName;
  readonly nodes: number;
  readonly agent: AgentName;
}

const NAME = /^(embedded|etcd)(?:-(\d+)-nodes)?(-reference-agent)?$/;

/** Whether the results of such a cluster are those of a store: two nodes with this project's agent. */
export const isUsual = ({ nodes, agent }: ClusterKind): boolean => nodes === 2 && agent === "own";

/** Name of the folder of a cluster's results, such as `embedded` or `embedded-1-nodes-reference-agent`. */
export function folderOf({ store, nodes, agent }: ClusterKind): string {
  return `${store}${nodes === 2 ? "" : `-${nodes}-nodes`}${agent === "own" ? "" : "-reference-agent"}`;
}

/** The cluster whose results are in a folder of that name; undefined if it is not such a name. */
export function kindOf(folder: string): ClusterKind | undefined {
  const [, name, nodes = "2", reference] = NAME.exec(folder) ?? [];
  const store = STORES.find((each) => each === name);
  return store && { store, nodes: Number(nodes), agent: reference === undefined ? "own" : "reference" };
}

/** Title of a column of results, such as "1 node" or "1 node, the suite's agent". */
export function titleOf({ store, nodes, agent }: ClusterKind): string {
  const of = store === "embedded" ? "" : `, ${store}`;
  return `${nodes} node${nodes === 1 ? "" : "s"}${of}${agent === "own" ? "" : ", the suite's agent"}`;
}

/** The clusters of which a folder has results, in the order of their names; none if there is no such folder. */
export async function kindsIn(folder: string): Promise<readonly ClusterKind[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.sort().flatMap((name) => kindOf(name) ?? []);
}
