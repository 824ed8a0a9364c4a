import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/**
 * What an agent is asked to try: to connect over TCP or UDP, to connect over TCP and keep the connection (`hold`), or to use a kept
 * connection (`echo`).
 */
export interface NetworkRequest {
  readonly protocol: "tcp" | "udp" | "hold" | "echo";
  readonly to: string;
  readonly port: number;
  /** Own address to connect from. Default: the kernel chooses. */
  readonly from?: string;
  readonly timeoutMs: number;
}

/** What a laboratory consists of. */
export interface NetworkLabOptions {
  /** Commands for a shell in a new network namespace, which add namespaces with `ip netns`. */
  readonly commands: readonly string[];
  /** The places that agents run in: names of namespaces, and `host` for the one of the shell. */
  readonly places: readonly string[];
  /** Ports at which each agent answers with the name of its place and the address that it sees. */
  readonly ports: readonly number[];
}

type Agent = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Network namespaces with an agent in each of them. Nothing of it is seen outside, and nothing is left of it when its processes
 * end. Needs root.
 */
export class NetworkLab {
  readonly #holder: Agent;
  readonly #agents = new Map<string, { readonly process: Agent; readonly lines: AsyncIterator<string> }>();

  private constructor(holder: Agent) {
    this.#holder = holder;
  }

  static async start({ commands, places, ports }: NetworkLabOptions): Promise<NetworkLab> {
    const holder = spawn("unshare", ["--net", "--mount", "sh", "-e"], { stdio: ["pipe", "pipe", "inherit"] });
    const lab = new NetworkLab(holder);
    try {
      const script = [
        "mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns",
        ...commands,
        "echo ready",
        "read -r end",
      ];
      holder.stdin.write(`${script.join("\n")}\n`);
      await nextLine(linesOf(holder));
      await Promise.all(places.map((place) => lab.#startAgent(place, ports)));
      return lab;
    } catch (error) {
      await lab.stop();
      throw error;
    }
  }

  /** Runs a program in a place, to its end, and returns what it prints. @throws Error if it fails */
  run(place: string, [program = "", ...args]: readonly string[], input = ""): string {
    return execFileSync("nsenter", [this.#namespace(place), program, ...args], {
      input,
      encoding: "utf8",
      stdio: "pipe",
    });
  }

  /**
   * Tries connections from a place, all at once, and returns the answers: the name of the place that was reached, a blank and the
   * address that it sees; the code of an error; or `timeout`. One call at a time for each place.
   */
  async ask(place: string, requests: readonly NetworkRequest[]): Promise<readonly string[]> {
    const agent = this.#agents.get(place);
    if (agent === undefined) throw new RangeError(`there is no place ${place}`);
    agent.process.stdin.write(`${JSON.stringify(requests)}\n`);
    return JSON.parse(await nextLine(agent.lines)) as string[];
  }

  /** Ends all processes, and with them the namespaces. */
  async stop(): Promise<void> {
    for (const child of [...[...this.#agents.values()].map((agent) => agent.process), this.#holder]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
  }

  #namespace(place: string): string {
    const { pid } = this.#holder;
    return place === "host" ? `--net=/proc/${pid}/ns/net` : `--net=/proc/${pid}/root/run/netns/${place}`;
  }

  async #startAgent(place: string, ports: readonly number[]): Promise<void> {
    const program = fileURLToPath(new URL("./network-agent.ts", import.meta.url));
    const args = [this.#namespace(place), process.execPath, program, place, ...ports.map(String)];
    const child = spawn("nsenter", args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = linesOf(child);
    this.#agents.set(place, { process: child, lines });
    await nextLine(lines);
  }
}

const linesOf = (child: Agent): AsyncIterator<string> =>
  createInterface({ input: child.stdout })[Symbol.asyncIterator]();

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const { done, value } = await lines.next();
  if (done === true) throw new Error("a process of the network ended");
  return value;
}
