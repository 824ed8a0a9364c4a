import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readRegularFile } from "@orchernetes/host";
import type { Paths } from "../../util/paths.ts";

/** Plugin name of `local` volumes; the text of their marks is the path of the volume. */
export const localPlugin = "local-volume";

const fileName = "ready";
const maxBytes = 8192;

/**
 * Records that a volume of a pod was set up, so that steps which run once, before the containers start, are not
 * repeated after a restart of the agent.
 *
 * @param folder of the volume below the pod's `plugins`
 * @param text identifies the volume later
 */
export async function setReady(folder: string, text: string, { folderMode }: Paths): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const file = join(folder, fileName);
  // A full disk could leave an empty mark, which would count as done.
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

/** Whether another pod has a volume of the plugin with this text set up. */
export async function isReadyElsewhere(paths: Paths, uid: string, plugin: string, text: string): Promise<boolean> {
  for (const other of await readdir(paths.pods).catch(() => [])) {
    if (other === uid) continue;
    // Only the parent folder is needed; the name is arbitrary.
    const folder = dirname(paths.plugin(other, plugin, "any"));
    for (const name of await readdir(folder).catch(() => []))
      if ((await readyText(join(folder, basename(name)))) === text) return true;
  }
  return false;
}
