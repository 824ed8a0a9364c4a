import { readFileSync } from "node:fs";

const number = (path: string): number => Number(readFileSync(path, "utf8"));

/** How many processes and threads the machine can have. */
export const processLimit = (): number =>
  Math.min(number("/proc/sys/kernel/pid_max"), number("/proc/sys/kernel/threads-max"));

/** How many processes and threads the machine has. */
export function processesNow(): number {
  const [, , , counts = ""] = readFileSync("/proc/loadavg", "utf8").split(" ");
  return Number(counts.split("/")[1]);
}
