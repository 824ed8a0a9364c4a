import { NetworkLab, type NetworkRequest } from "../../testing/network-lab.ts";

/** A pod of a laboratory: a network namespace on a bridge of the laboratory's host. */
export interface LabPod {
  /** Number of the bridge. Bridge N has the first address of `10.0.N.0/24` and of `fd00:0:0:N::/64`. */
  readonly bridge: number;
  readonly addresses: readonly string[];
}

/** What is tried in a place. */
export interface LabRequest extends Pick<NetworkRequest, "to" | "port" | "from"> {
  readonly protocol: "TCP" | "UDP" | "hold" | "echo";
}

/** Where an agent runs: in a pod, by number, in the host's own namespace, or in one beyond the host. */
export type LabPlace = number | "host" | "outside";

/** Addresses of the namespace beyond the host. */
export const outsideAddresses = ["192.0.2.7", "2001:db8:0:0:0:0:0:7"] as const;

/** A host with pods on bridges and somebody outside, as network namespaces. Everybody answers at the ports. */
export class PolicyNetwork {
  readonly #lab: NetworkLab;

  private constructor(lab: NetworkLab) {
    this.#lab = lab;
  }

  static async start(pods: readonly LabPod[], ports: readonly number[]): Promise<PolicyNetwork> {
    const places = [...pods.keys(), "host" as const, "outside" as const].map(nameOf);
    return new PolicyNetwork(await NetworkLab.start({ commands: setUpCommands(pods), places, ports }));
  }

  /** Gives a batch to the host's packet filter. */
  load(batch: string): void {
    this.#lab.run("host", ["nft", "-f", "-"], batch);
  }

  /** What the host's packet filter has, as `nft` prints it. */
  rules(): string {
    return this.#lab.run("host", ["nft", "list", "ruleset"]);
  }

  /** Gives the interface of a pod another address, as a pod can with raw sockets: it sends from it, and answers who asks for it. */
  addAddress(pod: number, address: string): void {
    this.#lab.run(nameOf(pod), ["ip", "address", "add", address, "dev", "eth0"]);
  }

  /** Makes the host ask again who has which address. */
  forgetNeighbours(): void {
    this.#lab.run("host", ["ip", "neighbour", "flush", "all"]);
  }

  /** The address that the kernel of a pod has chosen for its link. */
  linkLocalAddress(pod: number): string {
    const printed = this.#lab.run(nameOf(pod), "ip -6 -o address show dev eth0 scope link".split(" "));
    const found = /fe80::[0-9a-f:]+/.exec(printed);
    if (found === null) throw new Error(`Pod ${pod} has no link-local address`);
    return found[0];
  }

  /** Tries connections from a place, all at once; whether each has worked within the time. One call at a time. */
  async ask(place: LabPlace, timeoutMs: number, requests: readonly LabRequest[]): Promise<readonly boolean[]> {
    const answers = await this.#lab.ask(
      nameOf(place),
      requests.map((request) => ({ ...request, protocol: protocols[request.protocol], timeoutMs })),
    );
    // Other answers than those of an agent are codes of errors.
    return answers.map((answer) => answer.includes(" "));
  }

  /** Ends all processes, and with them the namespaces. */
  stop(): Promise<void> {
    return this.#lab.stop();
  }
}

const protocols = { TCP: "tcp", UDP: "udp", hold: "hold", echo: "echo" } as const;

const nameOf = (place: LabPlace): string => (typeof place === "number" ? `pod${place}` : place);

/** Commands for a shell in a new namespace, which is the host. */
function setUpCommands(pods: readonly LabPod[]): readonly string[] {
  const bridges = [...new Set(pods.map(({ bridge }) => bridge))];
  return [
    "ip link set lo up",
    ...[
      "ipv4/ip_forward",
      "ipv6/conf/all/forwarding",
      "bridge/bridge-nf-call-iptables",
      "bridge/bridge-nf-call-ip6tables",
    ].map((setting) => `echo 1 > /proc/sys/net/${setting}`),
    ...bridges.flatMap((n) => [
      `ip link add br${n} type bridge`,
      `ip address add 10.0.${n}.1/24 dev br${n}`,
      `ip address add fd00:0:0:${n}::1/64 dev br${n} nodad`,
      `ip link set br${n} up`,
    ]),
    ...pods.flatMap(({ bridge, addresses }, i) => [
      ...attach(nameOf(i), `v${i}`, addresses),
      // Frames go back to where they came from: a pod reaches itself through its service.
      `ip link set v${i} master br${bridge}`,
      `ip link set v${i} type bridge_slave hairpin on`,
      ...addresses.map((address) =>
        address.includes(":")
          ? `ip -n ${nameOf(i)} -6 route add default via fd00:0:0:${bridge}::1`
          : `ip -n ${nameOf(i)} route add default via 10.0.${bridge}.1`,
      ),
    ]),
    ...attach("outside", "out", outsideAddresses),
    "ip address add 192.0.2.1/24 dev out",
    "ip address add 2001:db8::1/64 dev out nodad",
    "ip -n outside route add default via 192.0.2.1",
    "ip -n outside -6 route add default via 2001:db8::1",
  ];
}

/** A namespace, and a pair of interfaces into it. */
function attach(namespace: string, link: string, addresses: readonly string[]): readonly string[] {
  return [
    `ip netns add ${namespace}`,
    // Addresses are usable at once: nobody else has them.
    `ip netns exec ${namespace} sh -c "echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad"`,
    `ip link add ${link} type veth peer name eth0 netns ${namespace}`,
    `ip link set ${link} up`,
    `ip -n ${namespace} link set lo up`,
    ...addresses.map((address) =>
      address.includes(":")
        ? `ip -n ${namespace} address add ${address}/64 dev eth0 nodad`
        : `ip -n ${namespace} address add ${address}/24 dev eth0`,
    ),
    `ip -n ${namespace} link set eth0 up`,
  ];
}
