import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** A network namespace with nothing but a loopback interface, for programs that change the packet filter. Needs root. */
export class NetworkNamespace {
  readonly #holder: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(holder: ChildProcessByStdio<Writable, Readable, null>) {
    this.#holder = holder;
  }

  static async open(): Promise<NetworkNamespace> {
    const script = "ip link set lo up; echo ready; read -r end";
    const holder = spawn("unshare", ["--net", "sh", "-ec", script], { stdio: ["pipe", "pipe", "inherit"] });
    await Promise.race([once(holder.stdout, "data"), once(holder, "error").then(([error]) => Promise.reject(error))]);
    return new NetworkNamespace(holder);
  }

  /** A process that is in it while it is open. */
  get pid(): number {
    return this.#holder.pid ?? 0;
  }

  /** The command that runs one in it. */
  inside(command: readonly string[]): readonly string[] {
    return ["nsenter", `--net=/proc/${this.pid}/ns/net`, ...command];
  }

  /**
   * Runs a program in it, to its end.
   *
   * @throws Error with what the program wrote to standard error, if it does not end with 0
   */
  run(command: string, args: readonly string[], input = ""): void {
    const [program = "", ...all] = this.inside([command, ...args]);
    execFileSync(program, all, { input, stdio: ["pipe", "ignore", "pipe"], maxBuffer: 1 << 30 });
  }

  /** Ends it, with all that is in it. */
  async close(): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const exit = once(this.#holder, "exit");
    this.#holder.kill("SIGKILL");
    await exit;
  }
}
