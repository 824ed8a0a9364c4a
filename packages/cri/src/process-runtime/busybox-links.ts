import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBusybox } from "../images/busybox-images.ts";

const run = promisify(execFile);

/** Creates links to all busybox applets in `dir`, for use in a PATH. Does nothing without a busybox. */
export async function linkBusybox(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
  const busybox = await findBusybox();
  if (busybox === undefined) return;
  const { stdout } = await run(busybox, ["--list"]);
  const applets = stdout.split("\n").filter((name) => name !== "");
  await Promise.all(
    applets.map((name) =>
      symlink(busybox, join(dir, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      }),
    ),
  );
}
