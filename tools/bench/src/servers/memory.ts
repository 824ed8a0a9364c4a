import { readFileSync } from "node:fs";

/** Resident memory of a process in MB (10^6 bytes). */
export const residentMb = (pid: number): number => memoryMb(pid, "status", "VmRSS");

/** Resident memory of a process in MB, where a page that several processes share is divided among them. */
export const proportionalMb = (pid: number): number => memoryMb(pid, "smaps_rollup", "Pss");

function memoryMb(pid: number, file: string, field: string): number {
  const path = `/proc/${pid}/${file}`;
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "utf8"))?.[1];
  if (kib === undefined) throw new Error(`process ${pid} has no ${field} in ${path}`);
  return (Number(kib) * 1024) / 1e6;
}
