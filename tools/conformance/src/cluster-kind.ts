import { readdir } from "node:fs/promises";
import { type Origin, STORES, type StoreName } from "./options.ts";

/** What distinguishes the clusters that the suite is run against. */
export interface ClusterKind {
  readonly store: StoreName;
  readonly nodes: number;
  readonly agent: Origin;
  readonly scheduler: Origin;
}

const NAME = /^(embedded|etcd)(?:-(\d+)-nodes)?(-reference-agent)?(-reference-scheduler)?$/;

/** Whether the results of such a cluster are those of a store: two nodes with this project's programs. */
export const isUsual = ({ nodes, agent, scheduler }: ClusterKind): boolean =>
  nodes === 2 && agent === "own" && scheduler === "own";

/** Name of the folder of a cluster's results, such as `embedded` or `embedded-1-nodes-reference-agent`. */
export function folderOf({ store, nodes, agent, scheduler }: ClusterKind): string {
  const count = nodes === 2 ? "" : `-${nodes}-nodes`;
  return `${store}${count}${agent === "own" ? "" : "-reference-agent"}${scheduler === "own" ? "" : "-reference-scheduler"}`;
}

/** The cluster whose results are in a folder of that name; undefined if it is not such a name. */
export function kindOf(folder: string): ClusterKind | undefined {
  const [, name, nodes = "2", agent, scheduler] = NAME.exec(folder) ?? [];
  const store = STORES.find((each) => each === name);
  const origin = (reference: string | undefined): Origin => (reference === undefined ? "own" : "reference");
  return store && { store, nodes: Number(nodes), agent: origin(agent), scheduler: origin(scheduler) };
}

/** Title of a column of results, such as "1 node" or "1 node, the suite's agent". */
export function titleOf({ store, nodes, agent, scheduler }: ClusterKind): string {
  const of = store === "embedded" ? "" : `, ${store}`;
  const foreign = `${agent === "own" ? "" : ", the suite's agent"}${scheduler === "own" ? "" : ", the suite's scheduler"}`;
  return `${nodes} node${nodes === 1 ? "" : "s"}${of}${foreign}`;
}

/** The clusters of which a folder has results, in the order of their names; none if there is no such folder. */
export async function kindsIn(folder: string): Promise<readonly ClusterKind[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.sort().flatMap((name) => kindOf(name) ?? []);
}
