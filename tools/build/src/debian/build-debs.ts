import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workspaceVersion } from "../licences/sbom.ts";
import type { DaemonName } from "../programs.ts";
import { commonControl, daemonControl, type MaintainerFiles } from "./control.ts";
import { commonTree, daemonTree } from "./package-tree.ts";

/**
 * Builds the Debian packages of daemons from their bundles, and `orchernetes-common`, on which they depend: it holds Node and makes the
 * user that the daemons run as.
 *
 * @param folder where the packages go
 * @returns their paths, the common one first
 */
export async function buildDebs(daemons: readonly DaemonName[], folder: string): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const version = workspaceVersion();
  const debs = [await pack("orchernetes-common", commonControl(version), folder, async (tree) => commonTree(tree))];
  for (const name of daemons)
    debs.push(await pack(name, daemonControl(name, version), folder, (tree) => daemonTree(tree, name)));
  return debs;
}

async function pack(
  name: string,
  files: MaintainerFiles,
  folder: string,
  fill: (tree: string) => Promise<void>,
): Promise<string> {
  const tree = mkdtempSync(join(tmpdir(), `${name}-deb-`));
  try {
    chmodSync(tree, 0o755);
    await fill(tree);
    mkdirSync(join(tree, "DEBIAN"));
    if (existsSync(join(tree, "etc/orchernetes"))) {
      const names = readdirSync(join(tree, "etc/orchernetes")).map((file) => `/etc/orchernetes/${file}\n`);
      writeFileSync(join(tree, "DEBIAN/conffiles"), names.join(""));
    }
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(tree, "DEBIAN", file), text, { mode: file === "control" ? 0o644 : 0o755 });
    const output = execFileSync("dpkg-deb", ["--root-owner-group", "-Zzstd", "-z3", "--build", tree, folder], {
      encoding: "utf8",
    });
    const [, deb] = /in '([^']+)'/.exec(output) ?? [];
    if (deb === undefined)
      throw new Error(`dpkg-deb --build ${name}: found "${output}"; the package's path is expected`);
    return deb;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
