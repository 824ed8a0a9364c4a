/** The pod network of one node. */
export interface CniConflistOptions {
  /** @default "orchernetes" */
  readonly name?: string;
  /** Linux bridge to make; at most 15 bytes, unique on the host. */
  readonly bridge: string;
  /** Pod addresses, e.g. `10.244.0.0/24`. The first address is the bridge's. */
  readonly subnet: string;
  /** Folder of the address leases. @default the plugin's own, /var/lib/cni/networks */
  readonly dataDir?: string;
  /** Interface MTU. @default the kernel's */
  readonly mtu?: number;
  /** Whether traffic to the outside bears the node's address. @default true */
  readonly ipMasq?: boolean;
}

/**
 * CNI network configuration list (CNI 1.0.0): a bridge with host-local addresses, and host ports. For a file named
 * `*.conflist` in the runtime's CNI folder. The loopback interface is set up by the runtime itself.
 *
 * @throws RangeError when the bridge's name can't be an interface name
 */
export function renderCniConflist(options: CniConflistOptions): string {
  const { name = "orchernetes", bridge, subnet, ipMasq = true } = options;
  if (!/^[^\s/:]{1,15}$/.test(bridge)) {
    throw new RangeError(`Cannot name a bridge "${bridge}": must be 1 to 15 characters without space, slash or colon`);
  }
  const conflist = {
    cniVersion: "1.0.0",
    name,
    plugins: [
      {
        type: "bridge",
        bridge,
        isGateway: true,
        ipMasq,
        // A pod reaching itself through its own service needs the bridge to send frames back where they came from.
        hairpinMode: true,
        ...(options.mtu !== undefined && { mtu: options.mtu }),
        ipam: {
          type: "host-local",
          ranges: [[{ subnet }]],
          routes: [{ dst: "0.0.0.0/0" }],
          ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
        },
      },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  };
  return `${JSON.stringify(conflist, null, 2)}\n`;
}
