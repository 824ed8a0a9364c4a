import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** Private memory of a process in MiB: without the pages of mapped files, which the store has. */
export function privateMemoryMib(pid: number): number {
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? 0) / 1024;
}

/** CPU time that a process has used, in seconds; of one that is gone 0. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the command's name, which may hold anything; in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Open descriptors of a process. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

const alarming =
  /Request failed unexpectedly|uncaught|unhandled|FATAL ERROR|MaxListenersExceeded|failed without a response/i;

/** Follows a log and picks out what must not be there. */
export class LogReader {
  readonly #file: string;
  readonly #secrets: readonly string[];
  #at = 0;

  constructor(file: string, secrets: readonly string[]) {
    this.#file = file;
    this.#secrets = secrets;
  }

  /** Alarming lines since the last look. */
  look(): readonly string[] {
    const lines = this.#fresh().split("\n");
    const found: string[] = [];
    for (const line of lines) {
      if (alarming.test(line)) found.push(`the log says: ${line.slice(0, 2000)}`);
      if (this.#secrets.some((secret) => line.includes(secret))) found.push("the log holds a secret");
    }
    return found;
  }

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
