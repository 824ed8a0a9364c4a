import { fileURLToPath } from "node:url";

/** Folder of the workspace, ending with a slash. */
export const workspaceRoot = fileURLToPath(new URL("../../../../", import.meta.url));

/** The daemons of the project. */
export type DaemonName =
  | "orch-apiserver"
  | "orch-scheduler"
  | "orch-controller-manager"
  | "cloud-controller-manager"
  | "orch-proxy"
  | "orchlet"
  | "metrics-server";

/** Whether daemons run from their sources or from their bundles in `dist/`. */
export type DaemonsFrom = "source" | "bundle";

/**
 * What the daemons of this run of tests run from: `npm test` has just built the bundles, which start in half of the processor time, and
 * says so by this variable. Without it, as when a single file is tested, nothing has built them: the sources.
 */
export const daemonsFrom = (env: Readonly<NodeJS.ProcessEnv> = process.env): DaemonsFrom =>
  env.ORCHERNETES_TEST_DAEMONS === "bundle" ? "bundle" : "source";

/** What {@link daemonCommand} runs. */
export interface DaemonCommandOptions {
  /** Folder of the workspace that contains the daemon, ending with a slash. @default this workspace */
  readonly root?: string | undefined;
  /** @default that of the run of tests; of another workspace the sources */
  readonly from?: DaemonsFrom | undefined;
}

/** Command that runs a daemon with the Node of this process. */
export function daemonCommand(
  name: DaemonName,
  flags: readonly string[],
  { root = workspaceRoot, from = root === workspaceRoot ? daemonsFrom() : "source" }: DaemonCommandOptions = {},
): readonly string[] {
  const main = from === "bundle" ? `dist/${name}/main.mjs` : `apps/${name}/src/main.mjs`;
  return [process.execPath, `${root}${main}`, ...flags];
}

/** Command that runs a tool of `tools/` from source with the Node of this process. */
export function toolCommand(name: string, args: readonly string[]): readonly string[] {
  return [process.execPath, `${workspaceRoot}tools/${name}/src/main.ts`, ...args];
}
