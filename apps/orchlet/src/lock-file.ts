import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
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
/** The descriptor by which the program that locks knows the file. */
const childDescriptor = 3;

/**
 * Locks a file as flock(2) does, which is created if it does not exist, and waits for the lock. Node has no such call: the program
 * flock(1) of util-linux locks the open file of this process, which then has the lock until it closes the file or ends.
 *
 * @throws Error if the file cannot be created, or there is no such program; the signal's reason
 */
export async function lockFile(
  { path }: LockOptions,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<HeldLock> {
  // Without O_NONBLOCK, the whole agent would wait for the other end of a FIFO.
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, 0o600);
  try {
    logger.info("Acquiring file lock", { path });
    await lockDescriptor(file, path, signal);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const { ino, dev } = fstatSync(file);
  const isCurrent = (): boolean => {
    const now = statSync(path);
    return now.ino === ino && now.dev === dev;
  };
  return {
    async contended(end) {
      while (!end.aborted) {
        if (isContended(isCurrent, ino)) return;
        await clock.sleep(lookMs, end).catch(() => undefined);
      }
    },
    release: () => closeSync(file),
  };
}

/** Waits until this process has the lock of an open file. @throws as {@link lockFile} */
async function lockDescriptor(file: number, path: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const program = spawn("flock", ["--exclusive", String(childDescriptor)], {
    stdio: ["ignore", "ignore", "ignore", file],
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (why: string): void =>
    reject(new Error(`unable to acquire file lock on ${JSON.stringify(path)}: ${why}`));
  program.on("error", (error) => fail(`${messageOf(error)}; want program flock (util-linux)`));
  program.on("exit", (code) => (code === 0 ? resolve() : fail(`flock ended with code ${code}`)));
  const onAbort = (): void => {
    program.kill();
    reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function isContended(isCurrent: () => boolean, ino: number): boolean {
  try {
    return !isCurrent() || hasWaiter(readFileSync("/proc/locks", "utf8"), ino);
  } catch {
    // The file was deleted, or its path leads nowhere.
    return true;
  }
}

/** Whether a process waits for a lock of a file, in the text of /proc/locks: such lines have an arrow. */
export function hasWaiter(locks: string, ino: number): boolean {
  return locks.split("\n").some((line) => / -> /.test(line) && new RegExp(`:${ino} `).test(line));
}
