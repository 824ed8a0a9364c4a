import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { FileSystems } from "@orchernetes/host";

/** The hardware and operating system of the node. */
export interface MachineInfo {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Size of the file system that contains the agent's root folder. */
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

/** Content of a file, trimmed; "" if it cannot be read, because not every machine has all of these files. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** Memory that can be allocated without swapping, in bytes. */
export function availableMemory(): number {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(read("/proc/meminfo"))?.[1];
  return kilobytes === undefined ? os.freemem() : Number(kilobytes) * 1024;
}

/** CPU time that all processors together have spent working since the machine started, in seconds. */
export function usedCpuSeconds(): number {
  let usedMs = 0;
  for (const { times } of os.cpus()) usedMs += times.user + times.nice + times.sys + times.irq;
  return usedMs / 1000;
}

/** The swap devices in use; empty if the machine does not swap. @param proc where procfs is mounted */
export function swapDevices(proc = "/proc"): readonly string[] {
  return read(join(proc, "swaps"))
    .split("\n")
    .slice(1)
    .flatMap((line) => (line === "" ? [] : [line.split(/\s+/)[0] ?? ""]));
}

/** Bytes reserved for huge pages of each size. */
function hugePages(sys = "/sys"): ReadonlyMap<string, number> {
  const folder = join(sys, "kernel/mm/hugepages");
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

/**
 * Reads the properties of this machine.
 *
 * @param dataDir folder on the file system whose size is reported
 * @param options.sys where sysfs is mounted, which shows the huge pages. @default "/sys"
 * @throws Error if the file system does not answer
 */
export async function machineInfo(
  dataDir: string,
  options: { readonly fileSystems?: Pick<FileSystems, "space">; readonly sys?: string | undefined } = {},
): Promise<MachineInfo> {
  const { fileSystems = new FileSystems(), sys } = options;
  const { capacityBytes } = await fileSystems.space(dataDir);
  const release = read("/etc/os-release") || read("/usr/lib/os-release");
  return {
    cpus: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    storageBytes: capacityBytes,
    hugePages: hugePages(sys),
    machineID: read("/etc/machine-id") || read("/var/lib/dbus/machine-id"),
    systemUUID: read("/sys/class/dmi/id/product_uuid") || read("/etc/machine-id"),
    bootID: read("/proc/sys/kernel/random/boot_id"),
    kernelVersion: os.release(),
    osImage: /^PRETTY_NAME="?(.*?)"?$/m.exec(release)?.[1] ?? os.type(),
    architecture: architectures[process.arch] ?? process.arch,
    operatingSystem: process.platform,
  };
}
