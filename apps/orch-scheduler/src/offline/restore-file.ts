import { messageOf } from "@orchernetes/kernel";
import { loadKnownPlugins } from "./known-plugins.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { configurationOf, type RestoredState, restoreSnapshot } from "./restore-snapshot.ts";

/** A state, and the plugins of users that it is without. */
export interface RestoredFile {
  readonly state: RestoredState;
  readonly leftOut: readonly string[];
}

/**
 * Restores the state from the file of a snapshot.
 *
 * @param config the configuration that names the modules of users' plugins; undefined: they are left out
 * @throws Error that names the file if it is no snapshot, or is damaged
 */
export async function restoreFile(file: string, config: string | undefined): Promise<RestoredFile> {
  const snapshot = await readSnapshot(file);
  const { plugins, leftOut } = await loadKnownPlugins(configurationOf(snapshot).profiles, config);
  try {
    return { state: restoreSnapshot(snapshot, plugins), leftOut };
  } catch (cause) {
    throw new Error(`${file}: cannot restore the snapshot: ${messageOf(cause)}`, { cause });
  }
}
