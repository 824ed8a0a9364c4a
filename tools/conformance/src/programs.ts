import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { promisify } from "node:util";
import type { TarEntry } from "@orchernetes/cri/images";

const run = promisify(execFile);

/** Paths of the dynamic linker and the libraries that `ldd` lists. */
export function librariesIn(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => /(?:=> |^\s+)(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

/**
 * A program of this machine with its libraries, as files for an image.
 *
 * @param name - of the program, which is looked up in PATH
 * @param path - of the program in the image
 * @throws Error when this machine has no such program
 */
export async function programOfMachine(name: string, path: string): Promise<readonly TarEntry[]> {
  const program = (await run("which", [name])).stdout.trim();
  const libraries = await run("ldd", [program]).then(
    ({ stdout }) => librariesIn(stdout),
    () => [], // linked statically
  );
  const files = [{ from: program, to: path }, ...libraries.map((library) => ({ from: library, to: library.slice(1) }))];
  return Promise.all(
    files.map(async ({ from, to }): Promise<TarEntry> => {
      return { type: "file", path: to, mode: 0o755, content: await readFile(await realpath(from)) };
    }),
  );
}
