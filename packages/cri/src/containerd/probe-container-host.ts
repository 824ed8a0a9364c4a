import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** What this host offers for running containers. */
export interface ContainerHost {
  /** Paths of the programs, undefined where missing. */
  readonly containerd: string | undefined;
  readonly runc: string | undefined;
  readonly ctr: string | undefined;
  /** Folder with the CNI plugins bridge, host-local, portmap and loopback. */
  readonly cniBinDir: string | undefined;
  readonly snapshotter: "overlayfs" | "native";
  /** See `restrictOomScoreAdj` of the containerd configuration. */
  readonly restrictOomScoreAdj: boolean;
  readonly cgroup: "v1" | "v2" | undefined;
  /** Reasons why containers cannot run here; empty if they can. */
  readonly missing: readonly string[];
}

const cniBinDirs = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];
const cniPlugins = ["bridge", "host-local", "portmap", "loopback"];
const sbin = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
const overlayfsMagic = 0x794c7630;
const capSysResource = 1n << 24n;

/**
 * Checks what this host offers for running containers. Changes nothing.
 *
 * @param dataDir - folder for the root of the runtime, which decides whether overlayfs works there
 */
export function probeContainerHost(dataDir: string): ContainerHost {
  const containerd = findProgram("containerd");
  const runc = findProgram("runc");
  const ctr = findProgram("ctr");
  const cniBinDir = cniBinDirs.find((dir) => cniPlugins.every((plugin) => isExecutable(join(dir, plugin))));
  const cgroup = cgroupVersion();
  const missing: string[] = [];
  if (process.platform !== "linux") missing.push(`containers need Linux, this is ${process.platform}`);
  if (process.getuid?.() !== 0) missing.push("running containers needs root");
  if (containerd === undefined) missing.push("containerd is not installed (Debian package containerd)");
  if (runc === undefined) missing.push("runc is not installed (Debian package runc)");
  if (ctr === undefined) missing.push("ctr is not installed (Debian package containerd)");
  if (findProgram("iptables") === undefined) missing.push("iptables is not installed (Debian package iptables)");
  if (cniBinDir === undefined) {
    missing.push(`no CNI plugins in ${cniBinDirs.join(", ")} (Debian package containernetworking-plugins)`);
  }
  if (cgroup === undefined) missing.push("no cgroup file system at /sys/fs/cgroup");
  return {
    containerd,
    runc,
    ctr,
    cniBinDir,
    snapshotter: overlayfsWorks(dataDir) ? "overlayfs" : "native",
    restrictOomScoreAdj: !hasCapability(capSysResource),
    cgroup,
    missing,
  };
}

/** Path of a program in PATH or in the system folders that are often missing from it; undefined when there is none. */
export function findProgram(name: string): string | undefined {
  const dirs = [...(process.env.PATH ?? "").split(delimiter), ...sbin];
  return dirs.map((dir) => join(dir, name)).find((path) => path.startsWith("/") && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function overlayfsWorks(dir: string): boolean {
  if (!/\boverlay$/m.test(read("/proc/filesystems"))) return false;
  try {
    // An overlayfs cannot be the upper layer of another one.
    return statfsSync(dir).type !== overlayfsMagic;
  } catch {
    return true;
  }
}

function hasCapability(bit: bigint): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(read("/proc/self/status"))?.[1];
  // Without /proc assume that nothing is missing: the runtime will report an error.
  return effective === undefined || (BigInt(`0x${effective}`) & bit) !== 0n;
}

function cgroupVersion(): "v1" | "v2" | undefined {
  if (read("/sys/fs/cgroup/cgroup.controllers") !== "") return "v2";
  return /^\S+ \/sys\/fs\/cgroup\/\S+ cgroup /m.test(read("/proc/mounts")) ? "v1" : undefined;
}
