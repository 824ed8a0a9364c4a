import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identify, isAlive } from "./proc.ts";

/**
 * Claims a folder for this process, until the returned function is called or the process exits.
 *
 * @throws Error when another running process has claimed it
 */
export function lockFolder(dir: string): () => void {
  const file = join(dir, "lock");
  const own = identify(process.pid);
  const claim = `${own?.pid} ${own?.startTime}`;
  for (let attempt = 0; attempt < 2; attempt++) {
    // Written under another name and then linked, which is atomic: an empty lock file would look like the claim of a
    // dead process.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, claim);
    try {
      linkSync(draft, file);
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    const [pid = "", startTime = ""] = readFileSync(file, "utf8").split(" ");
    // The start time tells a process from a later one with the same pid.
    if (isAlive({ pid: Number(pid), startTime })) {
      throw new Error(`Cannot use folder "${dir}": process ${pid} is using it`);
    }
    rmSync(file, { force: true });
  }
  throw new Error(`Cannot use folder "${dir}": another process claimed it just now`);
}
