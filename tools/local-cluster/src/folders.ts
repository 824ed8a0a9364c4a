import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { closeFile, ensureFolder } from "@orchernetes/host";
import type { Layout } from "./layout.ts";
import { isOfCluster } from "./purge.ts";
import type { NodeState } from "./state.ts";

/**
 * Creates the cluster's folders, or removes other users' access to existing ones and the files in them: they hold keys, the store and
 * the pods' secrets.
 *
 * Containers of the process runtime are processes of this host, under any user, and reach their volumes by path: they may traverse the
 * parent folders, but not read them.
 *
 * @throws Error when a folder belongs to another user
 */
export function ensureFolders(files: Layout, nodes: readonly Pick<NodeState, "name" | "runtime">[]): void {
  const passage = (runtimes: readonly NodeState["runtime"][]): number => (runtimes.includes("process") ? 0o711 : 0o700);
  const all = passage(nodes.map(({ runtime }) => runtime));
  ensureFolder(files.dataDir, all);
  for (const folder of [files.pki, files.logs, files.config]) ensureFolder(folder, 0o700);
  for (const { name, runtime } of nodes) {
    mkdirSync(files.nodes, { recursive: true, mode: 0o700 });
    ensureFolder(files.nodes, all);
    ensureFolder(files.node(name), passage([runtime]));
    ensureFolder(files.manifests(name), 0o700);
  }
  for (const folder of [files.pki, files.logs, files.config])
    for (const name of readdirSync(folder)) closeFile(join(folder, name));
  for (const file of [files.stateFile, files.adminConfig]) closeFile(file);
}

/**
 * Rejects a folder that is not for a cluster alone, such as `/tmp`: closing it would take its content away from other users.
 *
 * @throws Error when the folder is open to others, holds something, and no cluster is known to be in it
 */
export function refuseShared(files: Layout): void {
  if ((statSync(files.dataDir).mode & 0o077) === 0 || isOfCluster(files)) return;
  const [other] = readdirSync(files.dataDir).filter((name) => name !== "lost+found");
  if (other === undefined) return;
  throw new Error(
    `cannot use ${JSON.stringify(files.dataDir)} for a cluster, whose directory is closed to other users: it is open to them, and holds ${JSON.stringify(other)}; want an empty directory, or none`,
  );
}
