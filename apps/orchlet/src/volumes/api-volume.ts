import { mkdir, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { core } from "@orchernetes/api";
import { isMounted, mountTmpfs } from "@orchernetes/cri/host";
import type { Paths } from "../paths.ts";
import { type VolumeContent, writeAtomically } from "./atomic-writer.ts";

/** Whether a volume may hold what must never be on a disk: secrets and tokens, alone or among other things. */
export function isSecret({ secret, projected, downwardAPI }: core.Volume): boolean {
  return secret !== undefined || projected !== undefined || downwardAPI !== undefined;
}

/**
 * Makes the folder of a volume whose files come from the API hold exactly these files.
 *
 * @param inMemory the folder is memory, which is gone when it is unmounted
 */
export async function writeApiVolume(
  path: string,
  content: VolumeContent,
  options: { readonly inMemory: boolean; readonly fsGroup: number | undefined; readonly paths: Paths },
): Promise<void> {
  const { inMemory, fsGroup, paths } = options;
  await mkdir(dirname(path), { recursive: true, mode: paths.folderMode });
  await mkdir(path, { recursive: true, mode: 0o755 });
  // A folder with files was made by an agent that kept them on the disk: containers that have it mounted still get its updates.
  if (inMemory && !(await isMounted(path)) && (await readdir(path)).length === 0)
    await mountTmpfs(path, ["mode=0755", "nosuid", "nodev"]);
  const grouped =
    fsGroup === undefined
      ? content
      : new Map([...content].map(([name, file]) => [name, { ...file, mode: file.mode | 0o440 }]));
  await writeAtomically(path, grouped, fsGroup);
}
