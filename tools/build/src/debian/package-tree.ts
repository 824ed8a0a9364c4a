import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { completionScripts } from "@orchernetes/component/completion";
import { STAMP_FILE } from "../bundle/stamp.ts";
import { daemonReference } from "../daemons/daemon-flags.ts";
import { environmentOf } from "../daemons/environment.ts";
import { renderManPage } from "../daemons/man-page.ts";
import { NOTICES_FILE, SBOM_FILE } from "../licences/write-licences.ts";
import { bundleFolder, pinnedNode, root } from "../paths.ts";
import type { DaemonName } from "../programs.ts";

/** Where Node is, which runs all daemons. */
const NODE_PATH = "usr/lib/orchernetes/bin/node";

/** Writes a file of a package with its folders. */
function put(tree: string, path: string, content: string | Uint8Array, mode = 0o644): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
  chmodSync(file, mode);
}

/** Files of the package that all others depend on: Node, and the licence of the project. */
export function commonTree(tree: string): void {
  mkdirSync(dirname(join(tree, NODE_PATH)), { recursive: true });
  copyFileSync(pinnedNode, join(tree, NODE_PATH));
  chmodSync(join(tree, NODE_PATH), 0o755);
  put(tree, "usr/share/doc/orchernetes-common/copyright", readFileSync(join(root, "LICENSE")));
}

/** The command of a daemon, which its unit runs as well. */
export function launcher(name: DaemonName): string {
  const variables = Object.entries(environmentOf(name)).map(([variable, value]) => `export ${variable}=${value}\n`);
  return `#!/bin/sh\n${variables.join("")}exec /${NODE_PATH} /usr/lib/orchernetes/${name}/main.mjs "$@"\n`;
}

/** Files of a daemon's package: its bundle, the command, the systemd unit with its flags, manual, completions and notices. */
export async function daemonTree(tree: string, name: DaemonName): Promise<void> {
  const library = join(tree, "usr/lib/orchernetes", name);
  mkdirSync(dirname(library), { recursive: true });
  cpSync(bundleFolder(name), library, {
    recursive: true,
    filter: (source) => ![STAMP_FILE, NOTICES_FILE, SBOM_FILE].some((file) => source.endsWith(`/${file}`)),
  });
  put(tree, `usr/bin/${name}`, launcher(name), 0o755);
  put(tree, `lib/systemd/system/${name}.service`, readFileSync(join(root, `apps/${name}/systemd/${name}.service`)));
  const env = `# Flags of ${name}, on one line: see ${name}(8).\nFLAGS=\n`;
  put(tree, `etc/orchernetes/${name}.env`, env);
  const reference = await daemonReference(name);
  put(tree, `usr/share/man/man8/${name}.8.gz`, gzipSync(renderManPage(reference), { level: 9 }));
  put(tree, `usr/share/bash-completion/completions/${name}`, completionScripts.bash(reference));
  put(tree, `usr/share/zsh/vendor-completions/_${name}`, completionScripts.zsh(reference));
  put(tree, `usr/share/fish/vendor_completions.d/${name}.fish`, completionScripts.fish(reference));
  put(tree, `usr/share/doc/${name}/copyright`, readFileSync(join(bundleFolder(name), NOTICES_FILE)));
  put(tree, `usr/share/doc/${name}/${SBOM_FILE}`, readFileSync(join(bundleFolder(name), SBOM_FILE)));
}
