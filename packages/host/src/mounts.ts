import { execFile } from "node:child_process";
import { readFile, realpath, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
/** PATH with the folders of these programs, which service managers often leave out. */
const programs = { env: { PATH: "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" } };
const attempts = 5;
const pauseMs = 100;

/** Something is still mounted at or below a path. */
export class StillMounted extends Error {
  override readonly name = "StillMounted";
  readonly paths: readonly string[];
  constructor(folder: string, paths: readonly string[], why: string) {
    const shown = paths.slice(0, 5).map((path) => JSON.stringify(path));
    const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : "";
    super(
      `cannot delete ${JSON.stringify(folder)}: still mounted below it: ${shown.join(", ")}${more}${why === "" ? "" : ` (${why})`}; unmount them and try again`,
    );
    this.paths = paths;
  }
}

/** All paths of the mount table, in order; a path with several mounts occurs several times. @throws Error when it cannot be read */
async function mountTable(): Promise<readonly string[]> {
  if (process.platform !== "linux") return [];
  const table = await readFile("/proc/self/mountinfo", "latin1");
  return table.split("\n").map((line) => unescapePath(line.split(" ")[4] ?? ""));
}

/** The mount table contains resolved paths. */
const realPath = (path: string): Promise<string | undefined> =>
  realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/**
 * Paths of everything mounted below a folder, the deepest first.
 * @throws Error when the mount table cannot be read; then nothing may be deleted
 */
export async function mountsBelow(folder: string): Promise<readonly string[]> {
  const real = await realPath(folder);
  if (real === undefined) return [];
  const prefix = real === "/" ? "/" : `${real}/`;
  return (await mountTable()).filter((path) => path.startsWith(prefix)).sort((a, b) => b.length - a.length);
}

/** Whether something is mounted at exactly this path. */
export async function isMounted(path: string): Promise<boolean> {
  const real = await realPath(path);
  return real !== undefined && (await mountTable()).includes(real);
}

/**
 * Mounts a tmpfs at an existing folder.
 *
 * @param options of mount(8), such as `mode=0755`
 * @throws Error when the host does not allow it
 */
export async function mountTmpfs(path: string, options: readonly string[] = []): Promise<void> {
  const given = options.length === 0 ? [] : ["-o", options.join(",")];
  await run("mount", ["--no-canonicalize", "-t", "tmpfs", ...given, "tmpfs", path], programs);
}

/** Limit of a mount over the network, in milliseconds: a server that is away would keep the program for many minutes. */
const mountMs = 120_000;

/**
 * Mounts a file system at an existing folder, by a program that takes the arguments of mount(8). No shell is involved.
 *
 * @throws Error with what the program writes when it fails, or when it takes longer than 2 minutes
 */
export async function mountFileSystem(mount: {
  readonly program: string;
  readonly type: string;
  readonly source: string;
  readonly target: string;
  readonly options: readonly string[];
}): Promise<void> {
  const { program, type, source, target, options } = mount;
  const given = options.length === 0 ? [] : ["-o", options.join(",")];
  try {
    await run(program, ["-t", type, ...given, source, target], {
      ...programs,
      timeout: mountMs,
      killSignal: "SIGKILL",
    });
  } catch (error) {
    const { stderr = "", killed = false } = error as { readonly stderr?: string; readonly killed?: boolean };
    if (killed) throw new Error(`${program} took longer than ${mountMs / 1000} s`, { cause: error });
    const said = stderr
      .trim()
      .replaceAll(/\s*\n\s*/g, " ")
      .slice(0, 1000);
    throw new Error(said === "" ? (error as Error).message : said, { cause: error });
  }
}

/**
 * Bind mounts the inode of an open descriptor at `target`, and verifies that this inode was mounted: a container may change the path
 * components at any time.
 *
 * @throws Error when something else was mounted; then it has been unmounted again
 */
export async function bindMount(source: { readonly fd: number }, target: string): Promise<void> {
  const wanted = await stat(`/proc/self/fd/${source.fd}`, { bigint: true });
  // With --no-canonicalize, the kernel follows the path to the descriptor's inode; otherwise mount(8) would resolve the names
  // again.
  await run("mount", ["--no-canonicalize", "--bind", `/proc/${process.pid}/fd/${source.fd}`, target], programs);
  const found = await stat(target, { bigint: true });
  if (found.dev === wanted.dev && found.ino === wanted.ino) return;
  await unmount(target);
  throw new Error(`cannot mount at ${JSON.stringify(target)}: another file than the opened one appeared there`);
}

/** Unmounts the topmost mount at exactly this path. @throws Error when it is in use */
export async function unmount(path: string): Promise<void> {
  await run("umount", ["--no-canonicalize", path], programs);
}

/**
 * Unmounts everything below a folder. Idempotent.
 * @throws StillMounted when something is in use
 */
export async function unmountBelow(folder: string): Promise<void> {
  let why = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const mounts = await mountsBelow(folder);
    if (mounts.length === 0) return;
    // Processes that just ended may keep files open for a moment.
    if (attempt > 0) await sleep(pauseMs);
    for (const path of mounts) {
      await unmount(path).catch((error: unknown) => {
        why = error instanceof Error ? (error.message.trim().split("\n").at(-1) ?? "") : String(error);
      });
    }
  }
  const left = await mountsBelow(folder);
  if (left.length > 0) throw new StillMounted(folder, left, why);
}

const capSysAdmin = 1n << 21n;

/** Whether this process may mount. */
export async function canMount(): Promise<boolean> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective !== undefined && (BigInt(`0x${effective}`) & capSysAdmin) !== 0n;
}

/** Decodes a path of the mount table, in which blanks and some other bytes are octal escapes. */
const unescapePath = (latin1: string): string =>
  Buffer.from(
    latin1.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    "latin1",
  ).toString("utf8");
