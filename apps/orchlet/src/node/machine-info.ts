import { readdirSync, readFileSync, statfsSync } from "node:fs";
import os from "node:os";

/** The machine that the node is. */
export interface MachineInfo {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Of the file system that pods' data is on. */
  readonly storageBytes: number;
  /** Memory reserved as huge pages, by size such as `2Mi`. */
  readonly hugePages: ReadonlyMap<string, number>;
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** `amd64`, `arm64`, … */
  readonly architecture: string;
  /** `linux`, … */
  readonly operatingSystem: string;
}

const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** Memory that can be had without swapping, in bytes. */
export function availableMemory(): number {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(read("/proc/meminfo"))?.[1];
  return kilobytes === undefined ? os.freemem() : Number(kilobytes) * 1024;
}

/** Whether the machine swaps. */
export function swapDevices(): readonly string[] {
  return read("/proc/swaps")
    .split("\n")
    .slice(1)
    .flatMap((line) => (line === "" ? [] : [line.split(/\s+/)[0] ?? ""]));
}

function hugePages(): ReadonlyMap<string, number> {
  const folder = "/sys/kernel/mm/hugepages";
  let entries: readonly string[];
  try {
    entries = readdirSync(folder);
  } catch {
    return new Map();
  }
  return new Map(
    entries.flatMap((entry) => {
      const kilobytes = Number(/^hugepages-(\d+)kB$/.exec(entry)?.[1]);
      if (!Number.isFinite(kilobytes)) return [];
      const size =
        kilobytes >= 1_048_576
          ? `${kilobytes / 1_048_576}Gi`
          : kilobytes >= 1024
            ? `${kilobytes / 1024}Mi`
            : `${kilobytes}Ki`;
      return [[size, Number(read(`${folder}/${entry}/nr_hugepages`)) * kilobytes * 1024] as const];
    }),
  );
}

/** Looks at this machine. @param dataDir where pods' data is */
export function machineInfo(dataDir: string): MachineInfo {
  const fs = statfsSync(dataDir);
  const release = read("/etc/os-release") || read("/usr/lib/os-release");
  return {
    cpus: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    storageBytes: fs.blocks * fs.bsize,
    hugePages: hugePages(),
    machineID: read("/etc/machine-id") || read("/var/lib/dbus/machine-id"),
    systemUUID: read("/sys/class/dmi/id/product_uuid") || read("/etc/machine-id"),
    bootID: read("/proc/sys/kernel/random/boot_id"),
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME="?(.*?)"?$/m.exec(release)?.[1] ?? os.type(),
    architecture: architectures[process.arch] ?? process.arch,
    operatingSystem: process.platform,
  };
}
