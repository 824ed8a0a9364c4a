import {
  closeSync,
  constants as files,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";
import { codeCacheDirectory, isOwn } from "./code-cache.mjs";
import { withDefaultFlags } from "./spare-memory.mjs";

/** By then all that a start needs has been compiled. */
const KEEP_AFTER_MS = 10_000;
/** Code of a program that comes with it, in its folder: as that which is kept, but made by the build. */
export const COMPILED_FILE = "program.code";
/** Checksums of the program and of its code, 32 bits each. */
const HEADER_BYTES = 8;

/**
 * Runs a built program that is one function in one file, `(typeof module=="object"?module:{}).exports=(function(require,__filename){…})`, and
 * keeps its compiled code between starts. Node's own cache is made when a module is loaded, so it lacks every function that is compiled on its first call: nearly all that
 * a start calls. This one is made some time after the start and holds those, too.
 *
 * Code in `program.code` beside the program is used if there is none yet. `NODE_COMPILE_CACHE` names another folder,
 * `NODE_DISABLE_COMPILE_CACHE` turns it off. A folder that cannot be written, or that other users can, is as good as none; code of
 * another program or engine is not used, and replaced. With `--enable-source-maps` Node itself loads the program, because it reads the
 * source maps of modules only, and nothing is kept.
 *
 * @param {string} file
 * @param {{ readonly env?: Readonly<Record<string, string | undefined>>, readonly keepAfterMs?: number }} [options]
 * @returns {boolean} whether compiled code was used
 */
export function runCompiled(file, { env = process.env, keepAfterMs = KEEP_AFTER_MS } = {}) {
  const require = createRequire(file);
  if (process.sourceMapsEnabled) {
    require(file)(require, file);
    return false;
  }
  const bytes = readFileSync(file);
  const programSum = crc32(bytes);
  const cache = cacheFileOf(file, env);
  const cachedData = env.NODE_DISABLE_COMPILE_CACHE
    ? undefined
    : (readCode(cache, programSum, readOwn) ??
      // Whoever can write this one can write the program.
      readCode(join(dirname(file), COMPILED_FILE), programSum, readFileSync));
  const script = new Script(bytes.toString("latin1"), {
    filename: pathToFileURL(file).href,
    ...(cachedData === undefined ? {} : { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const used = cachedData !== undefined && script.cachedDataRejected !== true;
  script.runInThisContext()(require, file);
  if (cache !== undefined && !used) setTimeout(() => keepCode(cache, programSum, script), keepAfterMs).unref();
  return used;
}

/**
 * @param {string} file
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | undefined}
 */
function cacheFileOf(file, env) {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const folder = env.NODE_COMPILE_CACHE || codeCacheDirectory(env, homedir());
  if (folder === undefined) return undefined;
  const place = crc32(file).toString(16).padStart(8, "0");
  return join(folder, `${basename(dirname(file))}-${place}-${process.version}-${process.arch}.code`);
}

/**
 * @param {string | undefined} cache
 * @param {number} programSum
 * @param {(file: string) => Buffer} read
 * @returns {Buffer | undefined}
 */
function readCode(cache, programSum, read) {
  if (cache === undefined) return undefined;
  try {
    const bytes = read(cache);
    const code = bytes.subarray(HEADER_BYTES);
    return bytes.readUInt32LE(0) === programSum && bytes.readUInt32LE(4) === crc32(code) ? code : undefined;
  } catch {
    // There is none yet, it was cut off, or another user can write it.
    return undefined;
  }
}

/**
 * @param {string} file
 * @returns {Buffer}
 */
function readOwn(file) {
  if (!isOwn(lstatSync(dirname(file)))) throw new Error("another user can write the folder");
  // Without waiting for the writer of a pipe.
  const fd = openSync(file, files.O_RDONLY | files.O_NOFOLLOW | files.O_NONBLOCK);
  try {
    if (!isOwn(fstatSync(fd))) throw new Error("another user can write the file");
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * @param {string} cache
 * @param {number} programSum
 * @param {Script} script
 */
function keepCode(cache, programSum, script) {
  // Renamed, since another process may start at this moment.
  const next = `${cache}.${process.pid}`;
  try {
    mkdirSync(dirname(cache), { recursive: true, mode: 0o700 });
    if (!isOwn(lstatSync(dirname(cache)))) return;
    // The next start loads it before the program changes flags.
    const code = withDefaultFlags(() => script.createCachedData());
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(programSum, 0);
    header.writeUInt32LE(crc32(code), 4);
    // A process with this number may have been killed before it renamed its file.
    rmSync(next, { force: true });
    writeFileSync(next, Buffer.concat([header, code]), { mode: 0o600, flag: "wx" });
    renameSync(next, cache);
  } catch {
    // Then the next start compiles again.
    removeQuietly(next);
  }
}

/** @param {string} file */
function removeQuietly(file) {
  try {
    rmSync(file, { force: true });
  } catch {
    // It stays: the folder has become read-only.
  }
}
