import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A process of the cluster. */
interface KnownProcess {
  /** Such as `orch-apiserver`, `orchlet-node-1`. */
  readonly name: string;
  readonly pid: number;
  readonly startTicks: number | undefined;
}

/** What the data folder of a cluster of `npm run up` contains. */
export interface DataFolder {
  readonly processes: readonly KnownProcess[];
  readonly pki: string;
  /** Files of the nodes' network plugins. */
  readonly cniFiles: readonly string[];
}

/** @throws Error when there is no cluster in the folder, or its state cannot be read */
export function readDataFolder(dir: string): DataFolder {
  const file = join(dir, "cluster.json");
  let state: unknown;
  try {
    state = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`--data: ${JSON.stringify(file)} cannot be read; want the data folder of a cluster that runs`, {
      cause,
    });
  }
  const { processes, nodes } = (state ?? {}) as { readonly processes?: unknown; readonly nodes?: unknown };
  if (!Array.isArray(processes) || !Array.isArray(nodes))
    throw new Error(`--data: ${JSON.stringify(file)} is not the state of a cluster; want that of "npm run up"`);
  return {
    processes: processes.flatMap(knownProcess),
    pki: join(dir, "pki"),
    cniFiles: nodes.flatMap((node: unknown) => cniFiles(dir, node)),
  };
}

function knownProcess(entry: unknown): readonly KnownProcess[] {
  const { name, pid, startTicks } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return [];
  return [{ name, pid, startTicks: typeof startTicks === "number" ? startTicks : undefined }];
}

function cniFiles(dir: string, node: unknown): readonly string[] {
  const { name } = (node ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || !/^[a-z0-9.-]+$/.test(name)) return [];
  const folder = join(dir, "nodes", name, "runtime", "cni");
  try {
    return readdirSync(folder).map((file) => join(folder, file));
  } catch {
    return [];
  }
}
