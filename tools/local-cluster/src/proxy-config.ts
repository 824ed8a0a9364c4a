import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { messageOf } from "@orchernetes/kernel";
import { proxyCommand } from "./daemon-commands.ts";
import type { Layout } from "./layout.ts";
import type { createPortPicker } from "./ports.ts";
import { addressOf, type ClusterState, clusterCidr, type NodeState } from "./state.ts";

const run = promisify(execFile);

type Pick = ReturnType<typeof createPortPicker>;

/** Chooses the ports of the orch-proxy of the `i`-th node, which is at least 1. */
export async function proxyPorts(i: number, pick: Pick): Promise<NonNullable<NodeState["proxy"]>> {
  return {
    healthzPort: await pick(10256 + 100 * (i - 1)),
    metricsPort: await pick(10249 + 100 * (i - 1)),
  };
}

/** The state with ports for the orch-proxy of every node: earlier versions of this tool started none. */
export async function withProxyPorts(state: ClusterState, pick: Pick): Promise<ClusterState> {
  const nodes: NodeState[] = [];
  for (const [i, node] of state.nodes.entries())
    nodes.push(node.proxy === undefined ? { ...node, proxy: await proxyPorts(i + 1, pick) } : node);
  return { ...state, nodes };
}

/**
 * The configuration of a node's orch-proxy. The nodes share this host and its packet filter: each has a table of its own, for
 * the traffic of its pods and to its address, and that of the first node is for the host's own traffic, too.
 */
export function proxyConfig({ nodes, port }: ClusterState, node: NodeState): object {
  return {
    apiVersion: "orchproxy.config.o8s.io/v1alpha1",
    kind: "OrchProxyConfiguration",
    healthzBindAddress: `127.0.0.1:${node.proxy?.healthzPort}`,
    metricsBindAddress: `127.0.0.1:${node.proxy?.metricsPort}`,
    clusterCIDR: clusterCidr(node),
    // The limits of connections are the host's own affair.
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    iptables: { minSyncPeriod: "100ms" },
    // The limits of a busy server's clients would only slow down the start.
    clientConnection: { qps: 50, burst: 100 },
    loopbackPorts: [port],
    nftables: {
      tableName: node.bridge,
      onlyNode: {
        podInterfaces: node.runtime === "containerd" ? [node.bridge] : [],
        addresses: [addressOf(node)],
        hostTraffic: node.name === nodes[0]?.name,
      },
    },
  };
}

/** Removes what the node's orch-proxy has left on the host; it has stopped, also if it was killed. */
export async function removeRules(files: Layout, node: NodeState, write: (text: string) => void): Promise<void> {
  if (!existsSync(files.proxyConfig(node.name))) return;
  const [program = "", ...args] = [...proxyCommand(files, node), "--cleanup"];
  try {
    await run(program, args, { timeout: 60_000 });
  } catch (error) {
    write(`   The rules of services of ${node.name} cannot be removed: ${messageOf(error)}\n`);
  }
}
