import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

/**
 * A shell script that reports its child's pid on descriptor 4 and ends with the child. If its standard input ends
 * without a line before that, the process that started it has died: then it kills the child, so that nothing outlives
 * a test run, however that ends. A handler in this process could not do so: SIGKILL runs none.
 */
const GUARD =
  'exec 3<&0; "$@" 3<&- 4>&- & pid=$!; echo $pid >&4; exec 4>&-; { read -r _ <&3 || kill -9 $pid; } 2>/dev/null & exec 3<&-; wait $pid';

/** The program to start, and where its output is written. */
export interface GuardedProcessOptions {
  readonly command: readonly string[];
  /** Its output is appended to this file. */
  readonly logFile: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** A child process that ends with its parent at the latest. */
export interface GuardedProcess {
  readonly pid: number;
  /** Resolves to the exit code when it has ended; 128 plus the number of the signal if a signal ended it. */
  readonly exited: Promise<number>;
  readonly running: boolean;
  /**
   * Sends a signal, waits for the end, and kills after `graceMs`. Does nothing when it has ended. Resolves to the
   * exit code. @default SIGTERM, 10 s
   */
  end(signal?: NodeJS.Signals, graceMs?: number): Promise<number>;
}

/**
 * Starts a program that ends with this process at the latest.
 *
 * @throws Error when the program cannot be started
 */
export async function startGuarded({ command, logFile, env }: GuardedProcessOptions): Promise<GuardedProcess> {
  const log = openSync(logFile, "a", 0o600);
  const shell = spawn("/bin/sh", ["-c", GUARD, "sh", ...command], {
    stdio: ["pipe", log, log, "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  const { stdin } = shell;
  const pidPipe = shell.stdio[4] as NodeJS.ReadableStream | null;
  if (stdin === null || pidPipe === null) throw new Error(`cannot start ${command.join(" ")}`);
  // Writing to a guard that has ended is not an error.
  stdin.on("error", () => undefined);
  let running = true;
  const exited = new Promise<number>((resolve) =>
    shell.once("exit", (code) => {
      running = false;
      stdin.end("ended\n");
      resolve(code ?? 137);
    }),
  );
  const pid = Number(await text(pidPipe));
  if (!Number.isInteger(pid) || pid <= 0) throw new Error(`cannot start ${command.join(" ")}: no process id`);
  return {
    pid,
    exited,
    get running() {
      return running;
    },
    async end(signal = "SIGTERM", graceMs = 10_000) {
      if (!running) return exited;
      send(pid, signal);
      const timer = setTimeout(() => send(pid, "SIGKILL"), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended after the check and before the signal.
  }
}

/** The last lines of a log file, for messages. */
export function logTail(file: string, lines = 15): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "(no log)";
  }
}
