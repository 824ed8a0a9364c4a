import { resolve } from "node:path";
import yargs from "yargs";

/** The options of `npm run up`. */
export interface UpOptions {
  readonly nodes: number;
  /** @default that of the profile */
  readonly store: "embedded" | "etcd" | undefined;
  /** How the cluster is secured. @default that of the cluster in the directory, or "default" */
  readonly profile: "default" | "hardened" | undefined;
  readonly runtime: "auto" | "containerd" | "process";
  /** Absolute. */
  readonly dataDir: string;
  /** Port of the API server. */
  readonly port: number;
  /** Whether the daemons run from their bundles or their sources; auto: from the bundles if those are current. */
  readonly from: "auto" | "bundle" | "source";
  /** Whether the cluster has a metrics server, if it is a new one. */
  readonly metrics: boolean;
  /** Stay in the foreground, watch the daemons, stop them on Ctrl-C. */
  readonly foreground: boolean;
}

/** The options of `npm run down`. */
export interface DownOptions {
  readonly dataDir: string;
  /** Delete the data directory as well. */
  readonly purge: boolean;
}

/** The data directory when no option names one. */
export const defaultDataDir = (root: string): string => resolve(root, ".orch");

const fail = (message: string): never => {
  throw new Error(message);
};

/** @param root directory that contains the default data directory @throws Error naming the option, what was found, and what would have been accepted */
export async function parseUp(argv: readonly string[], root: string): Promise<UpOptions> {
  const parsed = await yargs([...argv])
    .scriptName("npm run up --")
    .usage("$0 [options]\n\nStarts a cluster on this machine.")
    .options({
      nodes: { type: "number", default: 1, describe: "Number of nodes" },
      store: {
        choices: ["embedded", "etcd"] as const,
        describe: "Where the API server keeps its data; default: embedded, in profile hardened etcd",
      },
      profile: {
        choices: ["default", "hardened"] as const,
        describe:
          "How the cluster is secured; hardened: see docs/security/hardened-cluster.md. Default: that of the cluster in the directory",
      },
      runtime: {
        choices: ["auto", "containerd", "process"] as const,
        default: "auto" as const,
        describe: "What runs containers; auto: containerd where it can run",
      },
      "data-dir": {
        type: "string",
        default: defaultDataDir(root),
        describe: "Directory for everything that the cluster writes",
      },
      port: { type: "number", default: 6443, describe: "Port of the API server" },
      from: {
        choices: ["auto", "bundle", "source"] as const,
        default: "auto" as const,
        describe: "What the daemons run from; auto: the bundles of npm run build if they are current, else the sources",
      },
      metrics: {
        type: "boolean",
        default: true,
        describe: "Serve the metrics API, for kubectl top and autoscaling; of a new cluster",
      },
      foreground: { type: "boolean", default: false, describe: "Stay, watch the daemons, and stop them on Ctrl-C" },
    })
    .strict()
    .version(false)
    .fail((message, error) => fail(message || error.message))
    .parseAsync();
  const { nodes, port } = parsed;
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 50)
    fail(`--nodes: found ${nodes}; a whole number from 1 to 50 is expected`);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    fail(`--port: found ${port}; a port number from 1 to 65535 is expected`);
  return {
    nodes,
    store: parsed.store,
    profile: parsed.profile,
    runtime: parsed.runtime,
    dataDir: resolve(parsed.dataDir),
    port,
    from: parsed.from,
    metrics: parsed.metrics,
    foreground: parsed.foreground,
  };
}

/** @param root directory that contains the default data directory @throws Error naming the option, what was found, and what would have been accepted */
export async function parseDown(argv: readonly string[], root: string): Promise<DownOptions> {
  const parsed = await yargs([...argv])
    .scriptName("npm run down --")
    .usage("$0 [options]\n\nStops the cluster that `npm run up` started.")
    .options({
      "data-dir": { type: "string", default: defaultDataDir(root), describe: "The cluster's directory" },
      purge: { type: "boolean", default: false, describe: "Delete the cluster's directory, too" },
    })
    .strict()
    .version(false)
    .fail((message, error) => fail(message || error.message))
    .parseAsync();
  return { dataDir: resolve(parsed.dataDir), purge: parsed.purge };
}
