// Not TypeScript, like the programs that import it: what runs before the cache is on would be stripped of types at each start,
// and the stripper, a WebAssembly module, takes 50 ms and 15 MB.
import { lstatSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where compiled code is kept between starts: a folder of this user's own, never a shared one, because what lies there is run.
 * `CACHE_DIRECTORY` is what systemd gives a service. Undefined where there is neither.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} home
 * @returns {string | undefined}
 */
export function codeCacheDirectory(env, home) {
  const [service = ""] = (env.CACHE_DIRECTORY ?? "").split(":");
  const base = [service, env.XDG_CACHE_HOME ?? ""].find((path) => isAbsolute(path));
  if (base !== undefined) return join(base, "orchernetes", "code");
  return isAbsolute(home) && home !== "/" ? join(home, ".cache", "orchernetes", "code") : undefined;
}

/**
 * Whether nobody but this user and root can change what this is about: a file or folder that another user owns or may write, or a link,
 * could make this process run that user's code. Root with another user's `HOME` or `XDG_CACHE_HOME` has such a folder.
 *
 * @param {Readonly<{ uid: number, mode: number, isFile(): boolean, isDirectory(): boolean }>} stats without following links
 * @returns {boolean}
 */
export function isOwn(stats) {
  return (
    (stats.isFile() || stats.isDirectory()) &&
    (stats.uid === 0 || stats.uid === process.geteuid?.()) &&
    (stats.mode & 0o022) === 0
  );
}

/** By then all is loaded; a process that is killed later has kept its code. */
const FLUSH_AFTER_MS = 10_000;

/**
 * Keeps what Node compiles (types stripped, bytecode) between starts: the second start needs about half the time. Call it
 * before the program proper is imported. `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` win; a folder that cannot
 * be written, or that others can write, is as good as none.
 *
 * @returns {void}
 */
export function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const directory = codeCacheDirectory(process.env, homedir());
  if (directory === undefined) return;
  const present = lstatSync(directory, { throwIfNoEntry: false });
  if (present !== undefined && !isOwn(present)) return;
  enableCompileCache(directory);
  setTimeout(flushCompileCache, FLUSH_AFTER_MS).unref();
}
