import { execFile } from "node:child_process";
import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TarEntry } from "./tar.ts";

const run = promisify(execFile);

/** Libraries that glibc before 2.34 loads for names of hosts without naming them as needed. */
const NAME_SERVICES = ["libnss_files.so.2", "libnss_dns.so.2"];

/**
 * The files of dynamically linked programs of this host, for an image: the programs, their libraries and the loader, each
 * at its path on the host. Programs that are not there are left out.
 *
 * @param programs absolute paths
 */
export async function programFiles(programs: readonly string[]): Promise<readonly TarEntry[]> {
  const paths = new Set<string>();
  for (const program of programs) {
    const libraries = await librariesOf(program);
    if (libraries === undefined) continue;
    for (const path of [program, ...libraries]) paths.add(path);
  }
  const libc = [...paths].find((path) => /\/libc\.so\.6$/.test(path));
  if (libc !== undefined) {
    for (const name of NAME_SERVICES) {
      const path = join(dirname(libc), name);
      if (await isThere(path)) paths.add(path);
    }
  }
  return [...paths].length === 0 ? [] : [...foldersOf(paths), ...(await filesAt(paths))];
}

/** Paths of a program's libraries, as the loader finds them; undefined if the program or its loader is missing. */
async function librariesOf(program: string): Promise<readonly string[] | undefined> {
  if (!(await isThere(program))) return undefined;
  try {
    const { stdout } = await run("ldd", [program], { env: { ...process.env, LC_ALL: "C" } });
    return [...stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path = ""]) => path);
  } catch {
    // Statically linked programs, and systems without glibc.
    return undefined;
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Every folder above the paths, those that hold others first. */
function foldersOf(paths: ReadonlySet<string>): readonly TarEntry[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const relative = path.slice(1);
    for (let slash = relative.indexOf("/"); slash > 0; slash = relative.indexOf("/", slash + 1))
      folders.add(relative.slice(0, slash));
  }
  return [...folders].map((path): TarEntry => ({ type: "directory", path, mode: 0o755 }));
}

/** The files, read through links: a library's name is usually one. */
const filesAt = (paths: ReadonlySet<string>): Promise<readonly TarEntry[]> =>
  Promise.all(
    [...paths].map(
      async (path): Promise<TarEntry> => ({
        type: "file",
        path: path.slice(1),
        mode: 0o755,
        content: await readFile(path),
      }),
    ),
  );
