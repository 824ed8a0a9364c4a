/** The pod network of one node. */
export interface CniConflistOptions {
  /** @default "orchernetes" */
  readonly name?: string;
  /** Linux bridge to create; at most 15 bytes, unique on the host. */
  readonly bridge: string;
  /** Pod addresses, such as `10.244.0.0/24`. The bridge has the first one. */
  readonly subnet: string;
  /** Folder for address leases. @default that of the plugin, /var/lib/cni/networks */
  readonly dataDir?: string;
  /** MTU of the interfaces. @default that of the kernel */
  readonly mtu?: number;
}

/**
 * A CNI network configuration list (CNI 1.0.0): a bridge with host-local addresses and host ports. It does not masquerade. For a file named
 * `*.conflist` in the CNI folder of the runtime. The runtime itself sets up the loopback interface.
 *
 * @throws RangeError when the name of the bridge cannot be an interface name
 */
export function renderCniConflist(options: CniConflistOptions): string {
  const { name = "orchernetes", bridge, subnet } = options;
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
        // One rule for all pods does it; see `masqueradeRule`.
        ipMasq: false,
        // A pod that reaches itself through its own service needs the bridge to send frames back to the port from
        // which they came.
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
