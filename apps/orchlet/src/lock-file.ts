import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";

/** The file that is locked while the agent runs. */
export interface LockOptions {
  readonly path: string;
  /** Whether the agent ends when another process waits for the lock, or the file is deleted. */
  readonly exitOnContention: boolean;
}

/** The lock that two flags ask for, or the error in them. */
export function lockOf(flags: {
  readonly "lock-file": string;
  readonly "exit-on-lock-contention": boolean;
}): { readonly lock: LockOptions | undefined } | { readonly error: string } {
  const path = flags["lock-file"];
  const exitOnContention = flags["exit-on-lock-contention"];
  if (path !== "") return { lock: { path, exitOnContention } };
  if (!exitOnContention) return { lock: undefined };
  return {
    error: "--exit-on-lock-contention: cannot exit on lock file contention: no lock file specified; want --lock-file",
  };
}

/** A lock that this process holds. */
interface HeldLock {
  /** Resolves when another process waits for the lock, or the file is no longer the one that was locked. */
  contended(signal: AbortSignal): Promise<void>;
  release(): void;
}

/** Time between two checks for processes that wait for the lock. */
const lookMs = 1000;

/**
 * Locks a file as flock(2) does, which is created if it does not exist, and waits for the lock. Node has no such call: the program
 * flock(1) of util-linux takes the lock, and holds it until this process ends or releases it.
 *
 * @throws Error if the file cannot be created, or there is no such program; the signal's reason
 */
export async function lockFile(
  { path }: LockOptions,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<HeldLock> {
  closeSync(openSync(path, "a", 0o600));
  logger.info("Acquiring file lock", { path });
  // cat echoes its input, which shows that it was started, and ends with this process.
  const holder = spawn("flock", ["--exclusive", path, "cat"], { stdio: ["pipe", "pipe", "ignore"] });
  holder.stdin.on("error", () => undefined);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  holder.on("error", (error) =>
    failed.reject(
      new Error(
        `unable to acquire file lock on ${JSON.stringify(path)}: ${messageOf(error)}; want program flock (util-linux)`,
      ),
    ),
  );
  holder.on("exit", (code) =>
    failed.reject(new Error(`unable to acquire file lock on ${JSON.stringify(path)}: flock ended with code ${code}`)),
  );
  const onAbort = (): void => {
    holder.kill();
    failed.reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    holder.stdin.write("locked\n");
    await Promise.race([once(holder.stdout, "data"), failed.promise]);
  } catch (error) {
    holder.kill();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  const { ino } = statSync(path);
  return {
    async contended(end) {
      while (!end.aborted) {
        if (isContended(path, ino)) return;
        await clock.sleep(lookMs, end).catch(() => undefined);
      }
    },
    release: () => void holder.stdin.end(),
  };
}

function isContended(path: string, ino: number): boolean {
  try {
    return statSync(path).ino !== ino || hasWaiter(readFileSync("/proc/locks", "utf8"), ino);
  } catch {
    // The file was deleted.
    return true;
  }
}

/** Whether a process waits for a lock of a file, in the text of /proc/locks: such lines have an arrow. */
export function hasWaiter(locks: string, ino: number): boolean {
  return locks.split("\n").some((line) => / -> /.test(line) && new RegExp(`:${ino} `).test(line));
}
