import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A process that the tool started. The start time distinguishes it from a later one with the same number. */
export interface StartedProcess {
  readonly name: string;
  readonly pid: number;
  /** Kernel ticks since boot, from /proc; undefined without /proc. */
  readonly startTicks: number | undefined;
}

/** A node of the cluster with the ports it uses. */
export interface NodeState {
  readonly name: string;
  readonly runtime: "containerd" | "process";
  readonly port: number;
  readonly healthzPort: number;
  /**
   * Ports of its orch-proxy.
   *
   * @default none are chosen yet, in clusters that earlier versions made; see `withProxyPorts`
   */
  readonly proxy?: { readonly healthzPort: number; readonly metricsPort: number };
  readonly podCidr: string;
  /**
   * Where its agent listens: the first address of the pod network, so that nodes differ from each other and from the host.
   *
   * @default loopback, where the host can be given no addresses, and in clusters that earlier versions made
   */
  readonly address?: string;
  readonly bridge: string;
  /** `unix://` address of its runtime. */
  readonly endpoint: string;
}

/** Where the metrics server listens. */
export interface MetricsServerState {
  readonly address: string;
  readonly port: number;
}

/** Whether an address is one of this host's that no other can reach. */
export const isLoopback = (address: string): boolean => address.startsWith("127.");

export const addressOf = (node: Pick<NodeState, "address">): string => node.address ?? "127.0.0.1";

/** Addresses of all pods of the cluster: each node has a part of them. */
export const clusterCidr = ({ podCidr }: Pick<NodeState, "podCidr">): string =>
  podCidr.replace(/^(\d+\.\d+)\..*$/, "$1.0.0/16");

/** The state of a cluster that is kept between two runs. */
export interface ClusterState {
  readonly version: 1;
  readonly port: number;
  readonly store: "embedded" | "etcd";
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly schedulerPort: number;
  readonly controllerManagerPort: number;
  /** Address of the cluster's DNS. @default names of the cluster are not served, as in clusters that earlier versions made */
  readonly dns?: { readonly address: string };
  /** @default there is no metrics server */
  readonly metricsServer?: MetricsServerState;
  readonly nodes: readonly NodeState[];
  readonly processes: readonly StartedProcess[];
}

/** All ports that the cluster's processes listen on. */
export const portsOf = (state: ClusterState): readonly number[] => [
  state.port,
  ...(state.store === "etcd" ? [state.etcdPort, state.etcdPeerPort] : []),
  state.schedulerPort,
  state.controllerManagerPort,
  ...(state.metricsServer === undefined ? [] : [state.metricsServer.port]),
  ...state.nodes.flatMap(({ port, healthzPort, proxy }) => [
    port,
    healthzPort,
    ...(proxy === undefined ? [] : [proxy.healthzPort, proxy.metricsPort]),
  ]),
];

/** The state as last written; undefined if there is no cluster in the folder. @throws Error if the file is damaged */
export function readState(file: string): ClusterState | undefined {
  if (!existsSync(file)) return undefined;
  let state: unknown;
  try {
    state = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`${file} is not valid JSON: ${String(cause)}; run "npm run down -- --purge" to start over`);
  }
  if (typeof state !== "object" || state === null || (state as ClusterState).version !== 1)
    throw new Error(`${file} was written by another version of this tool; run "npm run down -- --purge" to start over`);
  return state as ClusterState;
}

/** Replaces the file in one step: a crash leaves the old or the new state. */
export function writeState(file: string, state: ClusterState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
