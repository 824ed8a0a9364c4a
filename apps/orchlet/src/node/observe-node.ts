import { readdirSync, readFileSync, statfsSync } from "node:fs";
import type { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { CriClient } from "@orchernetes/cri";
import { messageOf } from "@orchernetes/kernel";
import { thresholdBytes } from "./capacity.ts";
import type { NodeHealth } from "./conditions.ts";
import { availableMemory, type MachineInfo } from "./machine-info.ts";
import type { NodeDevices, NodeObservation } from "./node-object.ts";

/** The current value of an eviction signal: bytes, inodes or processes. */
export interface SignalReading {
  readonly signal: string;
  readonly available: number;
  readonly capacity: number;
}

/**
 * Reads the signals for evictions and for the node's pressure conditions. Images and pods share the file system of
 * `dataDir`.
 */
export function readSignals(machine: MachineInfo, dataDir: string): readonly SignalReading[] {
  const fs = statfsSync(dataDir);
  const storage = { available: fs.bavail * fs.bsize, capacity: fs.blocks * fs.bsize };
  const inodes = { available: fs.ffree, capacity: fs.files };
  const maxPids = Number(readText("/proc/sys/kernel/pid_max")) || 32_768;
  return [
    { signal: "memory.available", available: availableMemory(), capacity: machine.memoryBytes },
    { signal: "nodefs.available", ...storage },
    { signal: "imagefs.available", ...storage },
    ...(inodes.capacity > 0 ? [{ signal: "nodefs.inodesFree", ...inodes }] : []),
    { signal: "pid.available", available: maxPids - countProcesses(), capacity: maxPids },
  ];
}

/**
 * The signals that are below their thresholds. Pure.
 *
 * @param thresholds quantities or percentages by signal; signals without a threshold are ignored
 */
export function crossedSignals(
  readings: readonly SignalReading[],
  thresholds: Readonly<Record<string, string>>,
): readonly SignalReading[] {
  return readings.filter(({ signal, available, capacity }) => {
    const text = thresholds[signal];
    if (text === undefined) return false;
    const minimum = text.endsWith("%") ? thresholdBytes(text, capacity) : wholeValueOf(text);
    return minimum > 0 && available < minimum;
  });
}

/** The pressure conditions for the signals that are below their thresholds. Pure. */
export function pressureOf(crossed: readonly SignalReading[]): NodeHealth["pressure"] {
  const has = (pattern: RegExp) => crossed.some(({ signal }) => pattern.test(signal));
  return { memory: has(/^memory\./), disk: has(/^(nodefs|imagefs)\./), pids: has(/^pid\./) };
}

/** The runtime's version, and the reasons why it cannot run pods. The messages are the original's. */
async function observeRuntime(
  cri: CriClient,
): Promise<{ readonly version: string; readonly errors: readonly string[] }> {
  try {
    const [{ runtimeName, runtimeVersion }, { status }] = await Promise.all([
      cri.runtime.version({}),
      cri.runtime.status({}),
    ]);
    const errors = (status?.conditions ?? [])
      .filter((condition) => !condition.status)
      .map(({ type, reason, message }) =>
        type === "NetworkReady"
          ? `container runtime network not ready: NetworkReady=false reason:${reason} message:${message}`
          : `container runtime status check failed: ${type}=false reason:${reason} message:${message}`,
      );
    return { version: `${runtimeName}://${runtimeVersion.replace(/^v/, "").replace(/[~+].*$/, "")}`, errors };
  } catch (error) {
    return { version: "", errors: [`container runtime is down: ${messageOf(error)}`] };
  }
}

/**
 * The images on the node, largest first: the scheduler prefers nodes that have a pod's images.
 *
 * @param most −1 for all
 */
async function nodeImages(cri: CriClient, most: number): Promise<readonly core.ContainerImage[]> {
  if (most === 0) return [];
  const { images } = await cri.images.listImages({});
  const all = images
    .map(({ repoTags, repoDigests, size }) => ({ names: [...repoDigests, ...repoTags].slice(0, 5), sizeBytes: size }))
    .filter(({ names }) => names.length > 0)
    .sort((a, b) => b.sizeBytes - a.sizeBytes);
  return most === -1 ? all : all.slice(0, most);
}

/** Collects the changing properties of the node. Never rejects: an unavailable runtime makes the node not ready. */
export async function observeNode(options: {
  readonly cri: CriClient;
  readonly pressure: () => NodeHealth["pressure"];
  readonly maxImages: number;
  readonly errors: () => readonly string[];
  readonly devices: () => NodeDevices;
  /** Undefined while it is not known which volumes are in use. */
  readonly volumesInUse: () => readonly string[] | undefined;
}): Promise<NodeObservation> {
  const runtime = await observeRuntime(options.cri);
  const images = runtime.version === "" ? [] : await nodeImages(options.cri, options.maxImages).catch(() => []);
  return {
    health: { errors: [...runtime.errors, ...options.errors()], pressure: options.pressure() },
    runtimeVersion: runtime.version,
    images,
    devices: options.devices(),
    volumesInUse: options.volumesInUse(),
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function countProcesses(): number {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;
  } catch {
    return 0;
  }
}
