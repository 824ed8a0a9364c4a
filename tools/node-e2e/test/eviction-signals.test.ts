import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { availableMemory, processesNow, processLimit } from "../src/machine.ts";
import { shell } from "../src/pods.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

const MiB = 1024 ** 2;
/** How much memory the machine must run short by: others use it meanwhile. */
const slackMiB = 1500;

const hasMemory = cannotRun === undefined && availableMemory() > 3 * slackMiB * MiB;

/** What a pod does that takes all of something, what the node then lacks, and what its message says. */
interface Case {
  readonly signal: string;
  /** The threshold, computed when the node starts. */
  readonly threshold: () => string;
  readonly condition: "MemoryPressure" | "DiskPressure" | "PIDPressure";
  readonly resource: string;
  readonly greedy: string;
  readonly spec?: object;
}

const scratch = (source: object) => ({ volumes: [{ name: "scratch", emptyDir: source }] });

/** The runtime measures the layers of containers every ten seconds; who filled one since counts as modest. */
const untilMeasured = "sleep 25";

const cases: readonly Case[] = [
  {
    signal: "memory.available",
    threshold: () => `${Math.floor(availableMemory() / MiB) - slackMiB}Mi`,
    condition: "MemoryPressure",
    resource: "memory",
    // Until it is evicted, but not more than twice what is wanted.
    greedy: `i=0; while [ $i -lt ${(2 * slackMiB) / 50} ]; do head -c 52428800 /dev/zero > /scratch/$i; i=$((i+1)); done`,
    spec: scratch({ medium: "Memory" }),
  },
  {
    signal: "nodefs.available",
    threshold: () => "50%",
    condition: "DiskPressure",
    resource: "ephemeral-storage",
    greedy: "head -c 90000000 /dev/zero > /scratch/file",
  },
  {
    signal: "nodefs.inodesFree",
    threshold: () => "50%",
    condition: "DiskPressure",
    resource: "inodes",
    greedy: "i=0; while [ $i -lt 2500 ]; do : > /scratch/$i; i=$((i+1)); done",
  },
  {
    signal: "imagefs.available",
    threshold: () => "40%",
    condition: "DiskPressure",
    resource: "ephemeral-storage",
    greedy: `head -c 60000000 /dev/zero > /most; ${untilMeasured}; head -c 55000000 /dev/zero > /rest`,
  },
  {
    signal: "imagefs.inodesFree",
    threshold: () => "40%",
    condition: "DiskPressure",
    resource: "inodes",
    greedy: `mkdir /many; i=0; while [ $i -lt 5000 ]; do : > /many/$i; i=$((i+1)); [ $i = 3000 ] && ${untilMeasured}; done`,
  },
  {
    signal: "pid.available",
    threshold: () => String(processLimit() - processesNow() - 700),
    condition: "PIDPressure",
    resource: "pids",
    greedy: "i=0; while [ $i -lt 1200 ]; do sleep 300 & i=$((i+1)); done",
  },
];

const settings = { evictionPressureTransitionPeriod: "5s", volumeStatsAggPeriod: "1s" };
const disks = { disk: { bytes: 128 * MiB, inodes: 4000 }, imageDisk: { bytes: 192 * MiB, inodes: 8000 } };

describe.skipIf(cannotRun !== undefined)(title("eviction by signal"), () => {
  for (const { signal, threshold, condition, resource, greedy, spec = scratch({}) } of cases)
    describe.skipIf(signal === "memory.available" && !hasMemory)(signal, () => {
      let node: TestNode;
      beforeAll(async () => {
        node = await startTestNode({ ...disks, settings: { ...settings, evictionHard: { [signal]: threshold() } } });
      });
      afterAll(() => node?.stop());

      test("the node has the condition, evicts the pod that uses most, and recovers", async () => {
        const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
        node.create("modest", { ...shell("sleep 600"), volumeMounts }, spec);
        await node.untilPhase("modest", "Running");
        await node.until("the condition to be known", () => node.condition(condition) === "False");
        node.create("greedy", { ...shell(`${greedy}; sleep 600`), volumeMounts }, spec);
        await node.until(condition, () => node.condition(condition) === "True");
        await node.untilPhase("greedy", "Failed");
        const { reason, message, conditions } = node.shown("greedy")?.status ?? {};
        expect(reason).toBe("Evicted");
        expect(message).toContain(`The node was low on resource: ${resource}. Threshold quantity: `);
        expect(conditions).toContainEqual(expect.objectContaining({ type: "DisruptionTarget", status: "True" }));
        expect(node.events()).toContain(`EvictionThresholdMet: Attempting to reclaim ${resource}`);
        // Best effort pods are not admitted meanwhile, other than under pressure of memory alone.
        await node.until(`no ${condition}`, () => node.condition(condition) === "False");
        expect(node.shown("modest")?.status?.phase).toBe("Running");
        node.create("later", shell("sleep 600"));
        await node.untilPhase("later", "Running");
      });
    });
});

describe.skipIf(cannotRun !== undefined)(title("a soft threshold"), () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startTestNode({
      ...disks,
      settings: {
        ...settings,
        evictionSoft: { "nodefs.available": "50%" },
        evictionSoftGracePeriod: { "nodefs.available": "25s" },
        evictionMaxPodGracePeriod: 4,
      },
    });
  });
  afterAll(() => node?.stop());
  const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
  const fill = "head -c 90000000 /dev/zero > /scratch/file";

  test("does not evict a pod that exceeds it for less than the grace period", async () => {
    node.create("short", { ...shell(`${fill}; sleep 12; rm /scratch/file; sleep 600`), volumeMounts }, scratch({}));
    await node.until("DiskPressure", () => node.condition("DiskPressure") === "True");
    await node.until("no DiskPressure", () => node.condition("DiskPressure") === "False");
    expect(node.shown("short")?.status?.phase).toBe("Running");
  });

  test("evicts a pod that exceeds it for longer, with the grace period that the agent allows", async () => {
    const ends = 'trap "date +%s > /dev/termination-log; sleep 60 & wait" TERM; ';
    node.create(
      "long",
      { ...shell(`${ends}${fill}; while :; do sleep 1; done`), volumeMounts },
      {
        ...scratch({}),
        terminationGracePeriodSeconds: 60,
      },
    );
    const started = Date.now();
    await node.untilPhase("long", "Failed");
    expect(Date.now() - started).toBeGreaterThan(25_000);
    const { reason, containerStatuses } = node.shown("long")?.status ?? {};
    expect(reason).toBe("Evicted");
    // It was asked to end, and killed after the four seconds.
    const { message, finishedAt, exitCode } = containerStatuses?.[0]?.state?.terminated ?? {};
    expect(exitCode).toBe(137);
    const took = Date.parse(String(finishedAt)) / 1000 - Number(message);
    expect(took).toBeGreaterThanOrEqual(3);
    expect(took).toBeLessThan(15);
    await node.until("no DiskPressure", () => node.condition("DiskPressure") === "False");
  });
});
