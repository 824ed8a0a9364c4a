import { spawn } from "node:child_process";

/** A shell script that waits until its input ends. Without a line before that, it runs its arguments. */
const GUARD = 'read -r _ || exec "$@"';

/** A process that runs a command when this process has ended. */
export interface OrphanGuard {
  /** Ends the guard without running the command. Idempotent. */
  dismiss(): void;
}

/** Arranges that a command runs if this process ends, however that happens, before the guard is dismissed. */
export function guardAgainstOrphans(command: readonly string[]): OrphanGuard {
  // In its own process group, so that a signal to the group of this process does not end the guard as well.
  const shell = spawn("/bin/sh", ["-c", GUARD, "sh", ...command], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  shell.unref();
  return { dismiss: () => void shell.stdin.end("done\n") };
}
