import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readRegularFile } from "@orchernetes/cri/host";
import type { Paths } from "../paths.ts";

const fileName = "ready";
const maxBytes = 8192;

/**
 * Remembers, across restarts of the agent, that a volume of a pod was set up. What is done once only, before the containers start, is not
 * done again then.
 *
 * @param folder of the volume below the pod's `plugins`
 * @param text what to know the volume by later
 */
export async function setReady(folder: string, text: string, { folderMode }: Paths): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const file = join(folder, fileName);
  // A mark without its text, as a full disk leaves it, would say that all is done.
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The text of a volume that was set up; undefined for one that was not. */
export async function readyText(folder: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(join(folder, fileName), { maxBytes })).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a pod but this one has a volume of the kind with this text set up. */
export async function isReadyElsewhere(paths: Paths, uid: string, plugin: string, text: string): Promise<boolean> {
  for (const other of await readdir(paths.pods).catch(() => [])) {
    if (other === uid) continue;
    // The name does not matter, only the folder that it is in.
    const folder = dirname(paths.plugin(other, plugin, "any"));
    for (const name of await readdir(folder).catch(() => []))
      if ((await readyText(join(folder, basename(name)))) === text) return true;
  }
  return false;
}
