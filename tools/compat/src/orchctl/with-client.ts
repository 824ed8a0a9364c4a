import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackDebianPackage } from "../clients/debian-packages.ts";
import type { Options } from "../options.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Writes a program that starts a stock kubectl with translated names, for callers that need a path. */
function writeLauncher(kubectl: string, folder: string): string {
  const path = join(folder, "orchctl");
  writeFileSync(path, `#!/bin/sh\nexec ${[process.execPath, main, kubectl].map(quote).join(" ")} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/**
 * Calls `run` with a client for the recordings of command lines, if the options ask for one. A stock client is
 * downloaded if necessary and gets translated names. Temporary files are deleted afterwards.
 *
 * @throws Error when the Debian package cannot be downloaded
 */
export async function withClient<T>(options: Options, run: (options: Options) => Promise<T>): Promise<T> {
  if (options.kubectl === undefined) return run(options);
  const folder = mkdtempSync(join(tmpdir(), "o8s-orchctl-"));
  try {
    const kubectl =
      options.kubectl === "debian"
        ? join(await unpackDebianPackage("kubernetes-client", join(folder, "package")), "usr/bin/kubectl")
        : options.kubectl;
    return await run({ ...options, orchctl: writeLauncher(kubectl, folder) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
