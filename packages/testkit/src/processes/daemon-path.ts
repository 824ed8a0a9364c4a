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

/**
 * Command that runs a daemon from source with the Node of this process.
 *
 * @param root folder of the workspace that contains the daemon, ending with a slash
 */
export function daemonCommand(name: DaemonName, flags: readonly string[], root = workspaceRoot): readonly string[] {
  return [process.execPath, `${root}apps/${name}/src/main.mjs`, ...flags];
}

/** Command that runs a tool of `tools/` from source with the Node of this process. */
export function toolCommand(name: string, args: readonly string[]): readonly string[] {
  return [process.execPath, `${workspaceRoot}tools/${name}/src/main.ts`, ...args];
}
