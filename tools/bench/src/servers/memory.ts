import { readFileSync } from "node:fs";

/** Resident memory of a process in MB (10^6 bytes). */
export function residentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kib === undefined) throw new Error(`process ${pid} has no VmRSS in /proc/${pid}/status`);
  return (Number(kib) * 1024) / 1e6;
}
