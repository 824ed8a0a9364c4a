import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Paths of everything mounted below a folder, the deepest first. */
export async function mountsBelow(folder: string): Promise<readonly string[]> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  return table
    .split("\n")
    .map((line) => unescapePath(line.split(" ")[4] ?? ""))
    .filter((path) => path === folder || path.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length);
}

/** Whether something is mounted at exactly this path. */
export async function isMounted(path: string): Promise<boolean> {
  return (await mountsBelow(path)).includes(path);
}

/** Mounts memory at a folder that exists. @throws Error when the host does not allow it */
export async function mountTmpfs(path: string, sizeBytes: number | undefined): Promise<void> {
  const options = sizeBytes === undefined ? [] : ["-o", `size=${sizeBytes}`];
  await run("mount", ["-t", "tmpfs", ...options, "tmpfs", path]);
}

/** Makes what is at `source` appear at `target` too. */
export async function bindMount(source: string, target: string): Promise<void> {
  await run("mount", ["--bind", source, target]);
}

/** Unmounts everything below a folder. Idempotent. @throws Error when something is in use */
export async function unmountBelow(folder: string): Promise<void> {
  for (const path of await mountsBelow(folder)) await run("umount", [path]);
}

/** The mount table writes blanks and the like as octal numbers. */
const unescapePath = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
