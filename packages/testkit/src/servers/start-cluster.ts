import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, createClient, loadClientConfig } from "@orchernetes/client";
import { type DaemonsFrom, daemonsFrom, toolCommand, workspaceRoot } from "../processes/daemon-path.ts";
import { freePort } from "../processes/free-port.ts";
import { guardAgainstOrphans } from "../processes/orphan-guard.ts";

const run = promisify(execFile);

/** Store, nodes and sources of the cluster that {@link startCluster} starts. */
export interface StartClusterOptions {
  /** @default "embedded" */
  readonly store?: "embedded" | "etcd";
  /** @default "auto" */
  readonly runtime?: "auto" | "containerd" | "process";
  /** @default 1 */
  readonly nodes?: number;
  /** What the daemons run from; bundles must be current. @default that of the run of tests */
  readonly from?: DaemonsFrom;
  /** @default "default" */
  readonly profile?: "default" | "hardened";
  /** Whether it serves the metrics API, unlike `npm run up` only on request. @default false */
  readonly metrics?: boolean;
}

/** A node as listed in the local cluster's state file. */
export interface ClusterNode {
  readonly name: string;
  readonly runtime: "containerd" | "process";
  /** `unix://` address of its runtime. */
  readonly endpoint: string;
}

interface ClusterFile {
  readonly nodes: readonly ClusterNode[];
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

/** A whole cluster on this machine, as `npm run up` starts it: in its own folder, on free ports. */
export interface TestCluster {
  readonly url: string;
  readonly dataDir: string;
  /** Client configuration file of the administrator. */
  readonly clientConfig: string;
  readonly nodes: readonly ClusterNode[];
  /** Names of its processes, e.g. `orch-apiserver`, `orchlet-node-1`, `containerd-node-1`, `etcd`. */
  processes(): readonly string[];
  /** Process id of one of them. @throws Error when there is none of that name */
  pid(name: string): number;
  /** Kills one of them with SIGKILL. */
  kill9(name: string): void;
  /**
   * Starts the processes that are not running, and waits until the cluster is healthy; resolves to the output of the
   * tool.
   */
  up(): Promise<string>;
  /** A client of the administrator. */
  client(): Client;
  /** The end of a process's log. */
  log(name: string, lines?: number): string;
  /** Stops everything and removes the folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster and waits until its nodes are Ready.
 *
 * @throws Error with the output of the tool when that fails. Nothing is left running then, nor when this process is
 *   killed.
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { store = "embedded", runtime = "auto", nodes = 1, from = daemonsFrom(), profile = "default" } = options;
  const { metrics = false } = options;
  const dataDir = mkdtempSync(join(tmpdir(), "o8s-cluster-"));
  const port = await freePort();
  const tool = async (...args: string[]): Promise<string> => {
    const [file = "", ...rest] = toolCommand("local-cluster", [...args, `--data-dir=${dataDir}`]);
    try {
      return (await run(file, rest, { cwd: workspaceRoot, timeout: 400_000 })).stdout;
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`local-cluster ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
    }
  };
  const up = (): Promise<string> =>
    tool(
      "up",
      `--store=${store}`,
      `--runtime=${runtime}`,
      `--nodes=${nodes}`,
      `--port=${port}`,
      `--from=${from}`,
      `--profile=${profile}`,
      `--metrics=${metrics}`,
    );
  const guard = guardAgainstOrphans(toolCommand("local-cluster", ["down", "--purge", `--data-dir=${dataDir}`]));
  const clients: Client[] = [];
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const client of clients.splice(0)) client.close();
    await tool("down", "--purge");
    rmSync(dataDir, { recursive: true, force: true });
    guard.dismiss();
  };
  try {
    await up();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  const state = (): ClusterFile => JSON.parse(readFileSync(join(dataDir, "cluster.json"), "utf8")) as ClusterFile;
  const clientConfig = join(dataDir, "admin.orchconfig");
  const pid = (name: string): number => {
    const known = state().processes;
    const found = known.find((process) => process.name === name);
    if (found === undefined)
      throw new Error(`the cluster has no process "${name}"; it has ${known.map((p) => p.name).join(", ")}`);
    return found.pid;
  };
  return {
    url: `https://127.0.0.1:${port}`,
    dataDir,
    clientConfig,
    nodes: state().nodes,
    processes: () => state().processes.map((process) => process.name),
    pid,
    kill9: (name) => void process.kill(pid(name), "SIGKILL"),
    up,
    client() {
      const client = createClient(loadClientConfig(clientConfig));
      clients.push(client);
      return client;
    },
    log(name, lines = 30) {
      const content = readFileSync(join(dataDir, "logs", `${name}.log`), "utf8");
      return content.trimEnd().split("\n").slice(-lines).join("\n");
    },
    stop: () => (stopped ??= stop()),
  };
}
