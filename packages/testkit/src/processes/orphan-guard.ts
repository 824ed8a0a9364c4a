import { spawn } from "node:child_process";

/** Waits until its input ends; without a line before that, runs its arguments. */
const GUARD = 'read -r _ || exec "$@"';

/** Runs a command when this process is gone. */
export interface OrphanGuard {
  /** The command is not needed any more. */
  dismiss(): void;
}

/** Arranges that a command runs if this process ends, however that happens, before the guard is dismissed. */
export function guardAgainstOrphans(command: readonly string[]): OrphanGuard {
  // Its own process group: what ends this process by its group leaves the guard.
  const shell = spawn("/bin/sh", ["-c", GUARD, "sh", ...command], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  return { dismiss: () => void shell.stdin.end("done\n") };
}
