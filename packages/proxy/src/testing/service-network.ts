import { NetworkLab, type NetworkRequest } from "./network-lab.ts";

/** Two nodes, pods of the first (`a`) and of the second one (`b`), and a client in the network of the nodes. */
export type Place = "node-a" | "node-b" | "pod-a1" | "pod-a2" | "pod-b1" | "outside";

/** Addresses of the places. */
export const placeAddresses = {
  "node-a": { v4: "192.0.2.1", v6: "2001:db8::1" },
  "node-b": { v4: "192.0.2.2", v6: "2001:db8::2" },
  "pod-a1": { v4: "10.244.1.11", v6: "fd00:244:1::11" },
  "pod-a2": { v4: "10.244.1.12", v6: "fd00:244:1::12" },
  "pod-b1": { v4: "10.244.2.11", v6: "fd00:244:2::11" },
  outside: { v4: "192.0.2.9", v6: "2001:db8::9" },
} as const;

/** Another address of the place outside, and of the first node. */
export const moreAddresses = { outside: "192.0.2.10", "node-a": "192.0.2.11" } as const;

const pods = [
  { name: "pod-a1", node: "a" },
  { name: "pod-a2", node: "a" },
  { name: "pod-b1", node: "b" },
] as const;

/** The interface of a pod on its node. */
export const podInterface = (pod: "pod-a1" | "pod-a2" | "pod-b1"): string => `veth-${pod.slice(-2)}`;

/** Nodes, pods and a client as network namespaces. Every pod answers at a port with its name and the address that it sees. */
export class ServiceNetwork {
  readonly #lab: NetworkLab;

  private constructor(lab: NetworkLab) {
    this.#lab = lab;
  }

  static async start(port: number): Promise<ServiceNetwork> {
    const places = Object.keys(placeAddresses);
    return new ServiceNetwork(await NetworkLab.start({ commands: setUpCommands(), places, ports: [port] }));
  }

  /** Gives a batch to the packet filter of the first node. */
  load(batch: string): void {
    this.#lab.run("node-a", ["nft", "-f", "-"], batch);
  }

  /** What `nft` prints with these arguments on the first node. */
  list(...args: readonly string[]): string {
    return this.#lab.run("node-a", ["nft", ...args]);
  }

  /**
   * Tries a connection some times at once, and returns the answers: `pod-a1 192.0.2.9` from a pod that sees this client, the
   * code of an error, or `timeout`. One call at a time for each place.
   */
  ask(
    place: Place,
    to: string,
    port: number,
    { times = 1, protocol = "tcp", timeoutMs = 5000, from }: Partial<NetworkRequest> & { readonly times?: number } = {},
  ): Promise<readonly string[]> {
    const request: NetworkRequest = { protocol, to, port, timeoutMs, ...(from === undefined ? {} : { from }) };
    return this.#lab.ask(place, new Array<NetworkRequest>(times).fill(request));
  }

  /** Ends all processes, and with them the namespaces. */
  stop(): Promise<void> {
    return this.#lab.stop();
  }
}

/** Commands for a shell in a new namespace, which is the nodes' network. */
function setUpCommands(): readonly string[] {
  return [
    "ip link add lan type bridge && ip link set lan up",
    ...(["node-a", "node-b", "outside"] as const).flatMap((name, i) => [
      `ip netns add ${name}`,
      `ip link add lan${i} type veth peer name eth0 netns ${name}`,
      `ip link set lan${i} master lan up`,
      `ip -n ${name} link set lo up`,
      `ip -n ${name} address add ${placeAddresses[name].v4}/24 dev eth0`,
      `ip -n ${name} address add ${placeAddresses[name].v6}/64 dev eth0 nodad`,
      `ip -n ${name} link set eth0 up`,
    ]),
    `ip -n outside address add ${moreAddresses.outside}/24 dev eth0`,
    `ip -n node-a address add ${moreAddresses["node-a"]}/24 dev eth0`,
    ...routesOf("node-a", 2),
    ...routesOf("node-b", 1),
    // The way of clients to cluster addresses and load balancers: the first node.
    "ip -n outside route add default via 192.0.2.1",
    "ip -n outside -6 route add default via 2001:db8::1",
    ...pods.flatMap(({ name, node }) => podCommands(name, node)),
  ];
}

/** Forwards, and knows the way to the pods of the other node. */
const routesOf = (node: "node-a" | "node-b", other: 1 | 2): readonly string[] => [
  `ip netns exec ${node} sh -c 'cd /proc/sys/net && echo 1 > ipv4/ip_forward && echo 1 > ipv6/conf/all/forwarding'`,
  // The kernel sends a client one ICMP message a second, and a redirect would be that one.
  `ip netns exec ${node} sh -c 'cd /proc/sys/net/ipv4 && echo 0 > icmp_ratelimit && echo 0 > conf/all/send_redirects && echo 0 > conf/eth0/send_redirects'`,
  // For node ports at the loopback address.
  `ip netns exec ${node} sh -c 'echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet'`,
  `ip -n ${node} route add 10.244.${other}.0/24 via 192.0.2.${other}`,
  `ip -n ${node} -6 route add fd00:244:${other}::/64 via 2001:db8::${other}`,
  `ip -n ${node} route add default via 192.0.2.9`,
  `ip -n ${node} -6 route add default via 2001:db8::9`,
];

/** A pod with a link of its own to its node. */
function podCommands(name: (typeof pods)[number]["name"], node: "a" | "b"): readonly string[] {
  const { v4, v6 } = placeAddresses[name];
  const gateways = [v4.replace(/\.\d+$/, ".1"), v6.replace(/::.*/, "::1")];
  const link = podInterface(name);
  return [
    `ip netns add ${name}`,
    `ip -n node-${node} link add ${link} type veth peer name eth0 netns ${name}`,
    `ip -n ${name} link set lo up && ip -n ${name} link set eth0 up && ip -n node-${node} link set ${link} up`,
    ...[v4, v6].flatMap((address, i) => {
      const [family, bits, nodad] = i === 0 ? ["-4", 32, ""] : ["-6", 128, "nodad"];
      const gateway = gateways[i];
      return [
        `ip -n ${name} ${family} address add ${address}/${bits} dev eth0 ${nodad}`,
        `ip -n node-${node} ${family} address add ${gateway}/${bits} dev ${link} ${nodad}`,
        `ip -n node-${node} ${family} route add ${address} dev ${link}`,
        `ip -n ${name} ${family} route add ${gateway} dev eth0`,
        `ip -n ${name} ${family} route add default via ${gateway} dev eth0`,
      ];
    }),
  ];
}
