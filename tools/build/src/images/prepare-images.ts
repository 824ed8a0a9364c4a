import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { STAMP_FILE } from "../bundle/stamp.ts";
import { bundleFolder, pinnedNode } from "../paths.ts";

/** The library that Node needs beside those of the base image, by the folder of each architecture. */
const LIBRARIES = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((triplet) => `usr/lib/${triplet}/libatomic.so.1`);

/**
 * Prepares the folder that container images are built from: the Dockerfile, Node without its debugging symbols (33 MB less), and a
 * folder per program with its bundle. Nothing of the workspace's development packages is in it.
 *
 * @throws Error if this machine has no libatomic
 */
export function prepareImages(programs: readonly string[], folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const node = join(folder, "node/usr/bin/node");
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(join(import.meta.dirname, "Dockerfile"), join(folder, "Dockerfile"));
  const stripped = spawnSync("strip", ["--strip-unneeded", "-o", node, pinnedNode]);
  if (stripped.status !== 0) copyFileSync(pinnedNode, node);
  chmodSync(node, 0o755);
  const library = LIBRARIES.find((path) => existsSync(`/${path}`));
  if (library === undefined)
    throw new Error(
      `found none of ${LIBRARIES.map((path) => `/${path}`).join(", ")}; Debian's package libatomic1 has it`,
    );
  mkdirSync(dirname(join(folder, "node", library)), { recursive: true });
  copyFileSync(`/${library}`, join(folder, "node", library));
  for (const name of programs)
    cpSync(bundleFolder(name), join(folder, "programs", name, "usr/lib/orchernetes"), {
      recursive: true,
      filter: (source) => !source.endsWith(`/${STAMP_FILE}`),
    });
}
