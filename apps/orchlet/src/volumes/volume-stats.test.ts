import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { beforeEach, expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { usageByDriver } from "./measure-volume.ts";
import { VolumeStatsCollector, type VolumeStatsOptions, type VolumeUsage } from "./volume-stats.ts";

const signal = new AbortController().signal;
const periodMs = 60_000;
let clock: FakeClock;
let pods: ReturnType<VolumeStatsOptions["pods"]>;
let measured: string[];
let answer: () => Promise<VolumeUsage | undefined>;
let stats: VolumeStatsCollector;
beforeEach(() => {
  clock = new FakeClock();
  measured = [];
  answer = async () => ({ usedBytes: measured.length });
  const spec = {
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "claim" } },
      { name: "own", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: "later", emptyDir: {} },
    ],
  };
  const volumes = new Map(["data", "own"].map((name) => [name, { path: `/${name}`, readOnly: false }]));
  pods = [{ pod: testPod(spec), volumes }];
  stats = new VolumeStatsCollector({
    ...{ clock, periodMs, logger: silentLogger, random: () => 0.5 },
    pods: () => pods,
    measure(_pod, { name }) {
      measured.push(name);
      return answer();
    },
  });
});
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("prepared volumes are measured, with the names of their claims", async () => {
  stats.measureDue(signal);
  await settle();
  expect(stats.of("u1")).toEqual([
    {
      podUid: "u1",
      volumeName: "data",
      time: clock.now(),
      usedBytes: 1,
      pvcRef: { name: "claim", namespace: "default" },
    },
    {
      podUid: "u1",
      volumeName: "own",
      time: clock.now(),
      usedBytes: 2,
      pvcRef: { name: "web-own", namespace: "default" },
    },
  ]);
});

// shows: volumeStatsAggPeriod
test("a volume is measured once per randomized period, regardless of the number of reads", async () => {
  for (let look = 0; look < 3; look++) stats.measureDue(signal);
  await settle();
  expect(measured).toEqual(["data", "own"]);
  await clock.advance(periodMs * 1.5 - 1);
  stats.measureDue(signal);
  expect(measured).toHaveLength(2);
  await clock.advance(1);
  stats.measureDue(signal);
  expect(measured).toHaveLength(4);
});

test("a volume that cannot be measured keeps its last usage, and one that hangs is not measured twice", async () => {
  stats.measureDue(signal);
  await settle();
  answer = () => Promise.reject(new Error("away"));
  await clock.advance(2 * periodMs);
  stats.measureDue(signal);
  await settle();
  expect(stats.of("u1").map(({ usedBytes }) => usedBytes)).toEqual([1, 2]);
  answer = () => new Promise(() => undefined);
  await clock.advance(2 * periodMs);
  stats.measureDue(signal);
  await clock.advance(2 * periodMs);
  stats.measureDue(signal);
  expect(measured).toHaveLength(6);
});

test("a pod that is gone has no stats", async () => {
  stats.measureDue(signal);
  await settle();
  pods = [];
  stats.measureDue(signal);
  expect(stats.of("u1")).toEqual([]);
});

test("invalid values of a driver are omitted", () => {
  expect(
    usageByDriver({
      usage: [{ unit: "BYTES", total: 10, used: -1, available: 3 }],
      volumeCondition: { abnormal: true, message: "m" },
    }),
  ).toMatchObject({ capacityBytes: 10, usedBytes: undefined, availableBytes: 3, health: { abnormal: true } });
  expect(usageByDriver(undefined)).toBeUndefined();
});

test("drivers that do not respond do not delay the volumes of other pods", async () => {
  const names = Array.from({ length: 31 }, (_, index) => `far-${index}`);
  const far = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });
  const placed = (...volumes: string[]) =>
    new Map(volumes.map((name) => [name, { path: `/${name}`, readOnly: false }]));
  const other = { ...testPod({ volumes: [far("data"), { name: "later", emptyDir: {} }] }) };
  const hanging = Promise.withResolvers<undefined>();
  answer = () => (names.includes(measured.at(-1) ?? "") ? hanging.promise : Promise.resolve({ usedBytes: 1 }));
  pods = [
    { pod: testPod({ volumes: names.map(far) }), volumes: placed(...names) },
    { pod: { ...other, metadata: { ...other.metadata, uid: "u2" } }, volumes: placed("data", "later") },
  ];
  stats.measureDue(signal);
  await settle();
  expect(stats.of("u2").map(({ volumeName }) => volumeName)).toEqual(["data", "later"]);
  hanging.resolve(undefined);
});

test("a volume that waits is not measured when its pod is gone", async () => {
  const names = Array.from({ length: 5 }, (_, index) => `local-${index}`);
  const volumes = new Map(names.map((name) => [name, { path: `/${name}`, readOnly: false }]));
  pods = [{ pod: testPod({ volumes: names.map((name) => ({ name, emptyDir: {} })) }), volumes }];
  const hanging = Promise.withResolvers<undefined>();
  answer = () => hanging.promise;
  stats.measureDue(signal);
  pods = [];
  stats.measureDue(signal);
  hanging.resolve(undefined);
  await settle();
  expect(measured).toEqual(names.slice(0, 4));
});

test("local volumes are measured at once on request, but for no longer than allowed", async () => {
  const volumes = new Map(["data", "later"].map((name) => [name, { path: `/${name}`, readOnly: false }]));
  pods = pods.map(({ pod }) => ({ pod, volumes }));
  stats.measureDue(signal);
  await settle();
  expect(measured).toEqual(["data", "later"]);
  await stats.measureLocal(1000, signal);
  expect(measured).toEqual(["data", "later", "later"]);
  expect(stats.of("u1").map(({ usedBytes }) => usedBytes)).toEqual([1, 3]);
  answer = () => new Promise(() => undefined);
  let isOver = false;
  const late = stats.measureLocal(1000, signal).then(() => (isOver = true));
  await clock.advance(999);
  await settle();
  expect(isOver).toBe(false);
  await clock.advance(1);
  await late;
});

test("a local volume that has not been measured yet is measured on request", async () => {
  pods = pods.map(({ pod }) => ({ pod, volumes: new Map([["later", { path: "/later", readOnly: false }]]) }));
  await stats.measureLocal(1000, signal);
  expect(stats.of("u1").map(({ volumeName }) => volumeName)).toEqual(["later"]);
});
