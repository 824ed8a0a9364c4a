import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/**
 * Private memory of a process in MiB. Pages of mapped files do not count: the store maps its whole file.
 * @throws Error when there is no such process
 */
export function privateMemoryMib(pid: number): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? 0) / 1024;
}

/** CPU time that a process has used, in seconds; 0 if it has exited. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields after the name of the command, which may itself contain spaces and parentheses (proc_pid_stat(5));
    // in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/**
 * Number of open file descriptors of a process.
 * @throws Error when there is no such process
 */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

// Log lines that mean a bug, whatever the input: unexpected errors, unhandled rejections, fatal errors of V8, and
// listener leaks.
const alarming =
  /Request failed unexpectedly|uncaught|unhandled|FATAL ERROR|MaxListenersExceeded|failed without a response/i;

/** Follows a log file and picks out lines that must not occur. */
export class LogReader {
  readonly #file: string;
  readonly #secrets: readonly string[];
  #at = 0;

  constructor(file: string, secrets: readonly string[]) {
    this.#file = file;
    this.#secrets = secrets;
  }

  /** Alarming lines since the last call, and lines with secrets. */
  read(): readonly string[] {
    const lines = this.#fresh().split("\n");
    const found: string[] = [];
    for (const line of lines) {
      if (alarming.test(line)) found.push(`the log says: ${line.slice(0, 2000)}`);
      if (this.#secrets.some((secret) => line.includes(secret))) found.push("the log contains a secret");
    }
    return found;
  }

  /**
   * Complete lines since the last call, at most 8 MiB. A line that is still being written is left for the next call.
   */
  #fresh(): string {
    if (!existsSync(this.#file)) return "";
    const file = openSync(this.#file, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size - this.#at, 8 * 1024 * 1024));
      const count = readSync(file, bytes, 0, bytes.length, this.#at);
      const whole = bytes.subarray(0, count).lastIndexOf(10) + 1;
      this.#at += whole;
      return bytes.subarray(0, whole).toString();
    } finally {
      closeSync(file);
    }
  }
}
