import { lstatSync, rmSync } from "node:fs";
import { connect } from "node:net";

/** Removes the socket that a killed process left at a path. One that is listened on is left, and so is any other file. */
export async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const code = await new Promise<string>((resolve) => {
    const attempt = connect(path, () => {
      attempt.destroy();
      resolve("connected");
    });
    attempt.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
  if (code === "ECONNREFUSED") rmSync(path, { force: true });
}
