import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DbusError } from "@orchernetes/host/dbus";
import { type FakeBus, startFakeBus } from "@orchernetes/host/dbus/testing";
import { FakeClock, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCgroupHost, startFakeSystemd } from "../../testing/cgroup-host.ts";
import { resourceProperties, sliceProperties } from "./systemd-properties.ts";
import { SystemdUnits } from "./systemd-units.ts";

let dir: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-systemd-"));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(dir, { recursive: true });
});

const socketPath = () => join(dir, "bus");
function unitsAt(bus: FakeBus | undefined, clock = systemClock): SystemdUnits {
  const units = new SystemdUnits({ clock, socketPath: socketPath() });
  closers.push(
    () => bus?.close(),
    () => units.close(),
  );
  return units;
}
const membersOf = (bus: FakeBus) => bus.calls.map(({ member }) => member);

test("a slice is started, changed and stopped", async () => {
  const bus = await startFakeSystemd(socketPath(), createCgroupHost(dir, 2));
  const units = unitsAt(bus);
  await units.start("a-b.slice", sliceProperties("a-b.slice", "a.slice", 2), resourceProperties({ pids: 5 }, 2));
  await units.set("a-b.slice", resourceProperties({ memoryBytes: -1 }, 2));
  await units.stop("a-b.slice");
  expect(membersOf(bus)).toEqual(["Subscribe", "StartTransientUnit", "SetUnitProperties", "StopUnit"]);
  const [, start, set] = bus.calls;
  expect(start?.body?.slice(0, 2)).toEqual(["a-b.slice", "replace"]);
  expect(start?.body?.[2]).toEqual([
    ["Description", { signature: "s", value: "orchlet slice a-b.slice" }],
    ["Wants", { signature: "as", value: ["a.slice"] }],
    ["DefaultDependencies", { signature: "b", value: false }],
    ...["CPU", "Memory", "Tasks", "IO"].map((name) => [`${name}Accounting`, { signature: "b", value: true }]),
    ["TasksMax", { signature: "t", value: 5n }],
  ]);
  expect(set?.body).toEqual(["a-b.slice", true, [["MemoryMax", { signature: "t", value: 2n ** 64n - 1n }]]]);
});

test.each<[1 | 2, readonly string[]]>([
  [1, ["CPUShares=1024", "CPUQuotaPeriodUSec=50000", "CPUQuotaPerSecUSec=340000", "MemoryLimit=4096"]],
  [
    2,
    [
      "CPUWeight=39",
      "CPUQuotaPeriodUSec=50000",
      "CPUQuotaPerSecUSec=340000",
      "MemoryMax=4096",
      "MemoryMin=1",
      "MemoryHigh=2",
    ],
  ],
])("on version %i, resources are properties, and quotas are rounded up to whole percents", (version, want) => {
  const resources = { cpuShares: 1024, cpuQuotaUs: 16_670, cpuPeriodUs: 50_000, memoryBytes: 4096 };
  const properties = resourceProperties({ ...resources, memoryMinBytes: 1, memoryHighBytes: 2 }, version);
  expect(properties.map(([name, { value }]) => `${name}=${value}`)).toEqual(want);
});

test("a unit that already exists gets the resources, and stopping a unit that does not exist succeeds", async () => {
  const bus = await startFakeBus(socketPath(), ({ member }) => {
    if (member === "SetUnitProperties" || member === "Subscribe") return { signature: "", body: [] };
    const name = member === "StopUnit" ? "NoSuchUnit" : "UnitExists";
    return new DbusError(`org.freedesktop.systemd1.${name}`, "no");
  });
  const units = unitsAt(bus);
  await units.start("a.slice", [], resourceProperties({ pids: 5 }, 1));
  await units.stop("a.slice");
  expect(membersOf(bus)).toEqual(["Subscribe", "StartTransientUnit", "SetUnitProperties", "StopUnit"]);
});

test("a job that fails is an error", async () => {
  const bus = await startFakeSystemd(socketPath(), createCgroupHost(dir, 1), () => "failed");
  await expect(unitsAt(bus).start("a.slice", [], [])).rejects.toThrow(
    "systemd did not finish StartTransientUnit of a.slice: failed",
  );
});

test("a job that does not end is an error after 30 seconds", async () => {
  const bus = await startFakeBus(socketPath(), () => ({ signature: "", body: [] }));
  const clock = new FakeClock();
  const started = unitsAt(bus, clock).start("a.slice", [], []);
  const failed = expect(started).rejects.toThrow(/no result within 30 s/);
  await expect.poll(() => clock.waiting).toBe(1);
  await clock.advanceAsync(30_000);
  await failed;
});

test("calls fail without a bus; the connection is opened again when there is a bus, and after it was closed", async () => {
  const units = unitsAt(undefined);
  await expect(units.set("a.slice", resourceProperties({ pids: 1 }, 1))).rejects.toThrow(/ENOENT/);
  const bus = await startFakeSystemd(socketPath(), createCgroupHost(dir, 1));
  closers.push(() => bus.close());
  await units.start("a.slice", [], []);
  bus.disconnect();
  await expect.poll(() => bus.connections()).toBe(0);
  await expect
    .poll(() =>
      units.start("b.slice", [], []).then(
        () => "started",
        () => "not yet",
      ),
    )
    .toBe("started");
});

test("a connection that is closed while a job runs is an error", async () => {
  const bus = await startFakeBus(socketPath(), () => ({ signature: "", body: [] }));
  const started = unitsAt(bus).start("a.slice", [], []);
  const failed = expect(started).rejects.toThrow(/has ended/);
  await expect.poll(() => membersOf(bus)).toContain("StartTransientUnit");
  bus.disconnect();
  await failed;
});
