import { mkdir, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { core } from "@orchernetes/api";
import { isMounted, mountTmpfs } from "@orchernetes/host";
import type { Paths } from "../../util/paths.ts";
import { isWritten, writeAtomically } from "./atomic-writer.ts";
import type { VolumeContent } from "./volume-file.ts";

/**
 * Whether a volume contains data that must not be written to disk: secrets and tokens, possibly projected with others.
 */
export function isSecret({ secret, projected, downwardAPI }: core.Volume): boolean {
  return secret !== undefined || projected !== undefined || downwardAPI !== undefined;
}

/**
 * Makes the folder of a volume contain exactly the given files from the API.
 *
 * @param inMemory whether the folder is a tmpfs
 */
export async function writeApiVolume(
  path: string,
  content: VolumeContent,
  options: { readonly inMemory: boolean; readonly fsGroup: number | undefined; readonly paths: Paths },
): Promise<void> {
  const { inMemory, fsGroup, paths } = options;
  const grouped =
    fsGroup === undefined
      ? content
      : new Map([...content].map(([name, file]) => [name, { ...file, mode: file.mode | 0o440 }]));
  // Every pod is looked at each minute, and hardly ever anything has changed: then nothing else is asked of the host.
  if (await isWritten(path, grouped)) return;
  await mkdir(dirname(path), { recursive: true, mode: paths.folderMode });
  await mkdir(path, { recursive: true, mode: 0o755 });
  // If an earlier agent stored the files on disk, keep doing so: running containers have this folder mounted and need
  // updates.
  if (inMemory && !(await isMounted(path)) && (await readdir(path)).length === 0)
    await mountTmpfs(path, ["mode=0755", "nosuid", "nodev"]);
  await writeAtomically(path, grouped, fsGroup);
}
