import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A pod of a laboratory: a network namespace on a bridge of the laboratory's host. */
export interface LabPod {
  /** Number of the bridge. Bridge N has the first address of `10.0.N.0/24` and of `fd00:0:0:N::/64`. */
  readonly bridge: number;
  readonly addresses: readonly string[];
}

/** What an agent is asked to try: to connect, to connect and keep the connection, or to use a kept connection. */
export interface LabRequest {
  readonly protocol: "TCP" | "UDP" | "hold" | "echo";
  readonly to: string;
  readonly port: number;
}

/** Where an agent runs: in a pod, by number, in the host's own namespace, or in one beyond the host. */
export type LabPlace = number | "host" | "outside";

/** Addresses of the namespace beyond the host. */
export const outsideAddresses = ["192.0.2.7", "2001:db8:0:0:0:0:0:7"] as const;

type Agent = ChildProcessByStdio<Writable, Readable, null>;

/**
 * A host of network namespaces with pods on bridges and somebody outside, in a namespace of its own: nothing of it is seen
 * outside, and nothing is left of it when its processes end. Needs root.
 */
export class NetworkLab {
  readonly #holder: Agent;
  readonly #agents = new Map<LabPlace, { readonly process: Agent; readonly lines: AsyncIterator<string> }>();

  private constructor(holder: Agent) {
    this.#holder = holder;
  }

  /** Creates the namespaces, and an agent in each that answers at the ports. */
  static async start(pods: readonly LabPod[], ports: readonly number[]): Promise<NetworkLab> {
    const holder = spawn("unshare", ["--net", "--mount", "sh", "-e"], { stdio: ["pipe", "pipe", "inherit"] });
    const lab = new NetworkLab(holder);
    try {
      await lab.#setUp(pods, ports);
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  async #setUp(pods: readonly LabPod[], ports: readonly number[]): Promise<void> {
    this.#holder.stdin.write(setUpScript(pods));
    await nextLine(linesOf(this.#holder));
    await Promise.all(
      [...pods.keys(), "host" as const, "outside" as const].map((place) => this.#startAgent(place, ports)),
    );
  }

  /** Gives a batch to the host's packet filter. */
  load(batch: string): void {
    execFileSync("nsenter", [this.#namespace("host"), "nft", "-f", "-"], { input: batch });
  }

  /** What the host's packet filter has, as `nft` prints it. */
  rules(): string {
    return execFileSync("nsenter", [this.#namespace("host"), "nft", "list", "ruleset"], { encoding: "utf8" });
  }

  /** The address that the kernel of a pod has chosen for its link. */
  linkLocalAddress(pod: number): string {
    const args = [this.#namespace(pod), "ip", "-6", "-o", "address", "show", "dev", "eth0", "scope", "link"];
    const found = /fe80::[0-9a-f:]+/.exec(execFileSync("nsenter", args, { encoding: "utf8" }));
    if (found === null) throw new Error(`Pod ${pod} has no link-local address`);
    return found[0];
  }

  /** Tries connections from a place, all at once; whether each has worked within the time. One call at a time. */
  async ask(place: LabPlace, timeoutMs: number, requests: readonly LabRequest[]): Promise<readonly boolean[]> {
    const agent = this.#agents.get(place);
    if (agent === undefined) throw new RangeError(`There is no place ${place}`);
    agent.process.stdin.write(`${JSON.stringify({ timeoutMs, requests })}\n`);
    return JSON.parse(await nextLine(agent.lines)) as boolean[];
  }

  /** Ends all processes, and with them the namespaces. */
  async stop(): Promise<void> {
    const processes = [...this.#agents.values()].map((agent) => agent.process);
    for (const child of [...processes, this.#holder]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
  }

  #namespace(place: LabPlace): string {
    const { pid } = this.#holder;
    return place === "host" ? `--net=/proc/${pid}/ns/net` : `--net=/proc/${pid}/root/run/netns/${nameOf(place)}`;
  }

  async #startAgent(place: LabPlace, ports: readonly number[]): Promise<void> {
    const program = fileURLToPath(new URL("./network-agent.ts", import.meta.url));
    const args = [this.#namespace(place), process.execPath, program, ...ports.map(String)];
    const child = spawn("nsenter", args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = linesOf(child);
    this.#agents.set(place, { process: child, lines });
    await nextLine(lines);
  }
}

const nameOf = (place: Exclude<LabPlace, "host">): string => (place === "outside" ? place : `pod${place}`);

function linesOf(child: Agent): AsyncIterator<string> {
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { done, value } = await lines.next();
  if (done === true) throw new Error("A process of the laboratory ended");
  return value;
}

/** Commands for a shell in new namespaces, which then waits for its end. */
function setUpScript(pods: readonly LabPod[]): string {
  const bridges = [...new Set(pods.map(({ bridge }) => bridge))];
  return [
    "mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns",
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
    "echo ready",
    "read -r end",
    "",
  ].join("\n");
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
