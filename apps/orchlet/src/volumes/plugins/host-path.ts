import { constants } from "node:fs";
import { lstat, mkdir, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { core } from "@orchernetes/api";
import { assertNever } from "@orchernetes/kernel";

/**
 * Creates or checks the path of a hostPath volume according to its type.
 *
 * @returns the path on the host
 * @throws Error `hostPath type check failed: …`
 */
export async function prepareHostPath({ path, type = "" }: core.HostPathVolumeSource): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  const fail = (what: string) => new Error(`hostPath type check failed: ${path} is not ${what}`);
  switch (type) {
    case "":
      return path;
    case "DirectoryOrCreate":
      if (found === undefined) await mkdir(path, { recursive: true, mode: 0o755 });
      else if (!found.isDirectory()) throw fail("a directory");
      return path;
    case "Directory":
      if (!found?.isDirectory()) throw fail("a directory");
      return path;
    case "FileOrCreate":
      if (found === undefined) {
        await lstat(dirname(path));
        // O_EXCL: do not open a file that another process creates meanwhile; it could be a FIFO and block.
        const { O_WRONLY, O_CREAT, O_EXCL } = constants;
        await (await open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)).close();
      } else if (!found.isFile()) throw fail("a file");
      return path;
    case "File":
      if (!found?.isFile()) throw fail("a file");
      return path;
    case "Socket":
      if (!found?.isSocket()) throw fail("a socket file");
      return path;
    case "CharDevice":
      if (!found?.isCharacterDevice()) throw fail("a character device");
      return path;
    case "BlockDevice":
      if (!found?.isBlockDevice()) throw fail("a block device");
      return path;
    default:
      return assertNever(type);
  }
}

/**
 * Checks the folder of a `local` volume. It must not be a link: who can replace the folder could lead the agent, which may
 * read everything, to any other one.
 *
 * @returns the path without a slash at its end, at which a link would be followed
 * @throws Error if there is no folder
 */
export async function checkLocalFolder(path: string): Promise<string> {
  const plain = resolve(path);
  const found = await lstat(plain).catch(() => undefined);
  if (found?.isDirectory()) return plain;
  const what = found?.isSymbolicLink() ? "a link; want the directory itself" : "not a directory";
  throw new Error(`local volume check failed: ${path} is ${what}`);
}

/** Checks the device of a `local` volume with mode Block. @throws Error if there is none */
export async function checkBlockDevice(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isBlockDevice()) return path;
  throw new Error(`local volume check failed: ${path} is not a block device`);
}
