import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type HousekeepingOptions, runHousekeeping } from "./housekeeping.ts";
import { containerNameLabel, podUidLabel } from "./runtime/labels.ts";
import { createGarbage } from "./stages/agent-garbage.ts";

const minuteMs = 60_000;
const labels = { [podUidLabel]: "u", [containerNameLabel]: "c" };

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-house-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs housekeeping for a while on a runtime with one running and three ended containers, and two unused images. */
async function keep(
  settings: object,
  config: object,
  minutes: number,
  isEvicted = false,
  outline = async () => new Map(),
) {
  const log = join(dir, "0.log");
  const removed: string[] = [];
  const asked: string[] = [];
  const ended = [1, 2, 3].map((n) => ({ id: `ended-${n}`, state: "CONTAINER_EXITED", labels, createdAt: BigInt(n) }));
  const running = { id: "running", state: "CONTAINER_RUNNING", labels, createdAt: 9n };
  const remove = (id: string) => void removed.push(id);
  const left = () => [running, ...ended].filter(({ id }) => !removed.includes(id));
  const images = ["sha-1", "sha-2"].map((id) => ({ id, repoTags: [id], repoDigests: [], pinned: false, size: 1 }));
  const cri = {
    runtime: {
      listPodSandbox: async () => ({ items: [] }),
      listContainers: async ({ filter }: { filter?: unknown }) => ({ containers: filter ? [running] : left() }),
      async containerStatus({ containerId }: { containerId: string }) {
        asked.push(containerId);
        return { status: containerId === "running" ? { logPath: log } : {} };
      },
      reopenContainerLog: async () => writeFileSync(log, "x".repeat(100)),
      removeContainer: async ({ containerId }: { containerId: string }) => remove(containerId),
    },
    images: {
      listImages: async () => ({ images: images.filter(({ id }) => !removed.includes(id)) }),
      removeImage: async ({ image }: { image: { image: string } }) => remove(image.image),
      imageFsInfo: async () => ({ imageFilesystems: [] }),
    },
  };
  writeFileSync(log, "x".repeat(100));
  const clock = new FakeClock();
  const end = new AbortController();
  const events: string[] = [];
  const worker = { identity: { uid: "u" }, isEvicted, isOver: isEvicted };
  const options = {
    config: {
      settings: {
        containerLogMaxFiles: 5,
        imageGCHighThresholdPercent: 100,
        imageGCLowThresholdPercent: 0,
        imageMinimumGCAge: 0,
        ...settings,
      },
      rootDir: dir,
      logMaxBytes: 1e6,
      deadContainersPerContainer: 10,
      ...config,
    },
    cri,
    clock,
    logger: silentLogger,
    paths: { pods: join(dir, "none"), podLogs: join(dir, "pod-logs") },
    reader: { forget: () => undefined, outline },
    manager: { has: () => isEvicted, get: () => worker, list: () => [worker] },
    cgroups: { updateClasses: async () => undefined, collect: async () => undefined },
    allSourcesRead: () => true,
    recordNodeEvent: (reason: string) => void events.push(reason),
    signal: end.signal,
  };
  const space = { capacityBytes: 10, availableBytes: 4 };
  const usage = { cri, rootDir: dir, fileSystems: { space: async () => space } };
  const pods = { reader: options.reader, usage, manager: options.manager };
  const garbage = createGarbage(
    options as unknown as Parameters<typeof createGarbage>[0],
    { events: { event: (_object, _type, reason) => void events.push(reason), flush: async () => undefined } },
    pods as unknown as Parameters<typeof createGarbage>[2],
  );
  const done = runHousekeeping({ ...options, garbage } as unknown as HousekeepingOptions);
  for (let i = 0; i < minutes * 6; i++) {
    await clock.advance(10_000);
    // Files are read and written between two looks.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  end.abort();
  await done;
  return { removed: removed.sort(), logs: readdirSync(dir).length, events, asked };
}

test("no image is removed while there is enough space", async () => {
  expect(await keep({}, {}, 6)).toMatchObject({ removed: [], logs: 1, events: [] });
});

// shows: --maximum-dead-containers-per-container
test.each([
  [1, ["ended-1", "ended-2"]],
  [0, ["ended-1", "ended-2", "ended-3"]],
])(
  "terminated instances of a container that exceed deadContainersPerContainer %i are removed",
  async (deadContainersPerContainer, want) => {
    expect((await keep({}, { deadContainersPerContainer }, 1)).removed).toEqual(want);
  },
);

test.each([
  [true, ["ended-1", "ended-2", "ended-3"], []],
  [false, [], ["n_p_u"]],
])("containers and logs of a pod that is evicted (%s) do not stay", async (isEvicted, containers, logs) => {
  const podLogs = join(dir, "pod-logs");
  mkdirSync(join(podLogs, "n_p_u"), { recursive: true });
  // The runtime has the pod.
  const outline = async () => new Map([["u", {}]]);
  expect((await keep({}, {}, 1, isEvicted, outline)).removed).toEqual(containers);
  expect(readdirSync(podLogs)).toEqual(logs);
});

// shows: --maximum-dead-containers, --minimum-container-ttl-duration
test.each([
  ["deadContainers: 1", { deadContainers: 1 }, ["ended-1", "ended-2"]],
  ["deadContainerMinAgeMs: a day before the epoch", { deadContainers: 0, deadContainerMinAgeMs: 1e15 }, []],
])("terminated containers are removed with %s", async (_, config, want) => {
  expect((await keep({}, config, 1)).removed).toEqual(want);
});

// shows: --pod-infra-container-image
test("the sandbox image is kept, whatever its name is", async () => {
  const settings = { imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 0 };
  expect((await keep(settings, { sandboxImage: "sha-2" }, 6)).removed).toEqual(["sha-1"]);
});

// shows: containerLogMaxSize, containerLogMaxFiles
test.each([3, 2])(
  "with containerLogMaxFiles %i, that many log files of a container are kept",
  async (containerLogMaxFiles) => {
    expect((await keep({ containerLogMaxFiles }, { logMaxBytes: 50 }, 2)).logs).toBe(containerLogMaxFiles);
    expect(existsSync(join(dir, "0.log"))).toBe(true);
  },
);

// 60 % of the space are used.
// shows: imageMinimumGCAge, imageGCHighThresholdPercent, imageGCLowThresholdPercent
test.each<[string, object, readonly string[]]>([
  ["above imageGCHighThresholdPercent", { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 50 }, ["sha-1"]],
  ["not below it", { imageGCHighThresholdPercent: 61, imageGCLowThresholdPercent: 50 }, []],
  [
    "down to imageGCLowThresholdPercent",
    { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 40 },
    ["sha-1", "sha-2"],
  ],
  [
    "whatever imageMinimumGCAge is, if they were there before",
    { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 50, imageMinimumGCAge: 7 * minuteMs },
    ["sha-1"],
  ],
])("unused images are removed %s", async (_, settings, want) => {
  expect((await keep(settings, {}, 6)).removed).toEqual(want);
});

test("an event on the node reports when images could not be removed twice in a row", async () => {
  const settings = { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 0 };
  expect((await keep(settings, {}, 6)).events).toEqual(["FreeDiskSpaceFailed"]);
  expect((await keep(settings, {}, 11)).events).toEqual([
    "FreeDiskSpaceFailed",
    "FreeDiskSpaceFailed",
    "ImageGCFailed",
  ]);
});

test("the runtime is asked only once for the path of a container's log", async () => {
  const { asked, logs } = await keep({}, { logMaxBytes: 10 }, 2);
  expect(asked).toEqual(["running"]);
  expect(logs).toBeGreaterThan(1);
});

test("logs of unknown pods are removed, even if the pods have no other folder", async () => {
  mkdirSync(join(dir, "pod-logs/ns_p_gone/c"), { recursive: true });
  await keep({}, {}, 1);
  expect(readdirSync(join(dir, "pod-logs"))).toEqual([]);
});
