import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@orchernetes/kernel";
import type { Layout } from "./layout.ts";
import { isRunning, logTail, startDetached } from "./processes.ts";
import { type ClusterState, readState, type StartedProcess, writeState } from "./state.ts";

/** A daemon exited while it was needed. */
export class DaemonDied extends Error {
  override readonly name = "DaemonDied";
}

/** The processes of a cluster. Each is written to the state file as soon as it is started, so that `down` finds it even if `up` is killed. */
export class Cluster {
  readonly files: Layout;
  #state: ClusterState;

  constructor(files: Layout, state: ClusterState) {
    this.files = files;
    this.#state = state;
  }

  /** The cluster in a data folder; undefined if there is none. */
  static open(files: Layout): Cluster | undefined {
    const state = readState(files.stateFile);
    return state && new Cluster(files, state);
  }

  get state(): ClusterState {
    return this.#state;
  }

  process(name: string): StartedProcess | undefined {
    return this.#state.processes.find((p) => p.name === name);
  }

  isRunning(name: string): boolean {
    const known = this.process(name);
    return known !== undefined && isRunning(known);
  }

  /** Names of the processes that a cluster like this one has. */
  wanted(): readonly string[] {
    const { store, nodes, metricsServer } = this.#state;
    return [
      ...(store === "etcd" ? ["etcd"] : []),
      "orch-apiserver",
      "orch-controller-manager",
      "orch-scheduler",
      ...nodes.flatMap(({ name, runtime }) => [
        `${runtime === "containerd" ? "containerd" : "process-runtime"}-${name}`,
        `orchlet-${name}`,
        `orch-proxy-${name}`,
      ]),
      ...(metricsServer === undefined ? [] : ["metrics-server"]),
    ];
  }

  /** Whether all of them run: an `up` that failed may have started some. */
  isComplete(): boolean {
    return this.wanted().every((name) => this.isRunning(name));
  }

  /** Names of the processes that were started and have ended. */
  dead(): readonly string[] {
    return this.#state.processes.filter((p) => !isRunning(p)).map((p) => p.name);
  }

  /** @throws DaemonDied naming each process that the cluster needs and that has ended, with the end of its log */
  requireRunning(): void {
    const ended = this.wanted().filter((name) => !this.isRunning(name));
    if (ended.length > 0)
      throw new DaemonDied(ended.map((name) => `${name} ended after its start. ${this.#endOfLog(name)}`).join("\n"));
  }

  #endOfLog(name: string): string {
    const file = this.files.logFile(name);
    return `The end of ${file}:\n${logTail(file)}`;
  }

  save(): void {
    writeState(this.files.stateFile, this.#state);
  }

  /** Remembers a process. */
  remember(started: StartedProcess): void {
    this.#state = {
      ...this.#state,
      processes: [...this.#state.processes.filter((p) => p.name !== started.name), started],
    };
    this.save();
  }

  /** Starts the process unless it runs. */
  start(name: string, command: readonly string[]): void {
    if (this.isRunning(name)) return;
    this.remember(
      startDetached(name, command, this.files.logFile(name), {
        ...process.env,
        PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin`,
      }),
    );
  }

  /**
   * Polls until `ready` holds. A process that ends meanwhile is named with the end of its log.
   * @throws DaemonDied; Error after the timeout, with the last error
   */
  async waitFor(name: string, what: string, ready: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    let last = "";
    for (const until = Date.now() + timeoutMs; Date.now() < until; ) {
      if (!this.isRunning(name)) throw new DaemonDied(`${name} ended before ${what}. ${this.#endOfLog(name)}`);
      try {
        if (await ready()) return;
      } catch (error) {
        last = messageOf(error);
      }
      await sleep(20);
    }
    throw new Error(
      `${name}: not ${what} within ${timeoutMs / 1000} s${last === "" ? "" : ` (${last})`}. ${this.#endOfLog(name)}`,
    );
  }
}
