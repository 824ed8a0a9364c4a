import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { FakeClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { machineInfo } from "../node/machine-info.ts";
import { openUsageSource, type UsageSource } from "../stats/usage-source.ts";
import { writeHost } from "../testing/host-trees.ts";
import { readSignals } from "./read-signals.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-signals-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const host = await machineInfo("/");
const space = {
  capacityBytes: 5000,
  availableBytes: 1000,
  usedBytes: 4000,
  inodes: 50,
  inodesFree: 10,
  inodesUsed: 40,
};

/** A machine of 1,000,000 bytes whose images are at a path. Paths of the device with the same first letter share it. */
function source(version: 1 | 2, images: string, spaceOf = async (_path: string) => space): UsageSource {
  const imageFilesystems = images === "" ? [] : [{ fsId: { mountpoint: images } }];
  return openUsageSource({
    cri: { images: { imageFsInfo: async () => ({ imageFilesystems }) } } as unknown as CriClient,
    clock: new FakeClock(),
    machine: { ...host, memoryBytes: 1_000_000 },
    nodeName: "node-a",
    rootDir: "/agent",
    logs: () => dir,
    settings: { cgroupRoot: "" },
    runtimeCgroups: "",
    podOf: () => undefined,
    swap: false,
    folders: writeHost(dir, version),
    fileSystems: { space: spaceOf, device: async (path) => path.charCodeAt(1) },
  });
}

test.each([
  [1, 900_000 - 100],
  [2, 600 * 1024 - 100],
] as const)("all signals are read on cgroup v%d", async (version, workingSet) => {
  const { signals, hasImageDisk } = await readSignals(source(version, "/images"));
  expect(Object.fromEntries(signals)).toEqual({
    "memory.available": { available: 1_000_000 - workingSet, capacity: 1_000_000 },
    "allocatableMemory.available": { available: 1_000_000 - 49_900, capacity: 1_000_000 },
    "nodefs.available": { available: 1000, capacity: 5000 },
    "nodefs.inodesFree": { available: 10, capacity: 50 },
    "imagefs.available": { available: 1000, capacity: 5000 },
    "imagefs.inodesFree": { available: 10, capacity: 50 },
    "pid.available": { available: 655, capacity: 1000 },
  });
  expect(hasImageDisk).toBe(true);
});

test("images have no separate disk if they are on the disk of the agent's folder, or if the runtime does not report it", async () => {
  expect(await readSignals(source(1, "/all/images"))).toMatchObject({ hasImageDisk: false });
  expect(await readSignals(source(1, ""))).toMatchObject({ hasImageDisk: false });
});

test("a file system that does not respond has no signals, and does not affect those of others", async () => {
  const only = async (path: string) => {
    if (path === "/agent") throw new Error("the file system of /agent does not answer");
    return { ...space, inodes: 0, inodesFree: 0 };
  };
  const { signals } = await readSignals(source(1, "/images", only));
  expect([...signals.keys()]).toEqual([
    "memory.available",
    "allocatableMemory.available",
    "imagefs.available",
    "pid.available",
  ]);
});
