import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestCluster } from "@orchernetes/testkit";

/** Where a node of a cluster of this machine leaves traces. */
export interface NodePlaces {
  /** Folder of the agent: pods, logs and the runtime are below it. */
  readonly root: string;
  /** Folder of its containerd. */
  readonly runtime: string;
  /** Path of the runtime's socket. */
  readonly socket: string;
  /** Bridge of its pods, after which their network is named. */
  readonly bridge: string;
  /** Name of the control group below which its pods are. */
  readonly cgroup: string;
}

/** The places of the only node of a cluster. @throws Error when it has none */
export function nodePlaces({ dataDir, nodes: [node] }: TestCluster): NodePlaces {
  if (node === undefined) throw new Error("the cluster has no node");
  const state = JSON.parse(readFileSync(join(dataDir, "cluster.json"), "utf8")) as {
    readonly nodes: readonly { readonly name: string; readonly bridge: string }[];
  };
  const bridge = state.nodes.find(({ name }) => name === node.name)?.bridge ?? "";
  const root = join(dataDir, "nodes", node.name);
  const socket = node.endpoint.slice("unix://".length);
  return { root, runtime: join(root, "runtime"), socket, bridge, cgroup: `orchernetes-${bridge}` };
}
