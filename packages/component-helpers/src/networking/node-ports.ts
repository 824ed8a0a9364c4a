/** Ports at which daemons of a node, and of the control plane on a node, listen by default. */
const daemonPorts: ReadonlySet<number> = new Set([22, 2379, 2380, 6443]);

/** Defaults of the agent, the proxy and the managers, and what is between them. */
const componentPorts = { first: 10_248, last: 10_259 } as const;

/** Default of `--service-node-port-range`. */
const nodePortRange = { first: 30_000, last: 32_767 } as const;

/**
 * Whether a port of nodes is never a load balancer's at an address of a node, whatever the protocol: those of remote shells, etcd, the
 * API server and the other daemons by default, and the default range of node ports. Otherwise who may create services could take
 * the traffic of a daemon, or of another service's node port. Pure.
 */
export function isReservedNodePort(port: number): boolean {
  return daemonPorts.has(port) || isWithin(componentPorts, port) || isWithin(nodePortRange, port);
}

const isWithin = ({ first, last }: { readonly first: number; readonly last: number }, port: number): boolean =>
  port >= first && port <= last;
