import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedStore, type Store } from "@orchernetes/storage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AllocationBitmap } from "./allocation-bitmap.ts";
import { ipRange } from "./ip-range.ts";
import { ServiceAllocator } from "./service-allocator.ts";

let path: string;
let store: Store;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "allocator-"));
  store = await openEmbeddedStore({ path, fsync: false });
});
afterEach(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const holder = { namespace: "default", name: "s", uid: "u" };

/** An allocator of which nothing is taken. */
async function allocatorOf(from: number, to: number, staticPorts: boolean): Promise<ServiceAllocator> {
  const ranges = [ipRange("10.0.0.0/27")];
  const allocator = new ServiceAllocator({ ranges, ports: { from, to }, staticPorts, store });
  for (const range of [...allocator.addresses, allocator.nodePorts])
    await range.replace(await range.snapshot(), new AllocationBitmap(range.size));
  return allocator;
}

async function takePort(allocator: ServiceAllocator, dryRun = false): Promise<number> {
  const taken = await allocator.takePorts([undefined], dryRun);
  return taken.type === "taken" ? (taken.ports[0] ?? 0) : 0;
}

/** What keeps a service from having the port, if anything does. */
async function claimPort(allocator: ServiceAllocator, port: number, dryRun: boolean): Promise<string | undefined> {
  const taken = await allocator.takePorts([port], dryRun);
  return taken.type === "refused" ? taken.error : undefined;
}

const takePorts = (allocator: ServiceAllocator, count: number): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: count }, () => takePort(allocator)));

describe("node ports with a static subrange", () => {
  test.each([
    // The band is one in 32, 16 at least and 128 at most (KEP-3668).
    { what: "the default range", from: 30000, to: 32767, band: 86 },
    { what: "all ports", from: 1, to: 65535, band: 128 },
    { what: "a range whose 32nd part is below 16", from: 30000, to: 30099, band: 16 },
    { what: "a range of 17", from: 30000, to: 30016, band: 16 },
    { what: "a range of 16", from: 30000, to: 30015, band: 0 },
    { what: "one port", from: 30000, to: 30000, band: 0 },
  ])("$what: $band are given out last", async ({ from, to, band }) => {
    const allocator = await allocatorOf(from, to, true);
    const size = to - from + 1;
    const dynamic = Math.min(size - band, 400);
    const ports = await takePorts(allocator, dynamic);
    expect(new Set(ports).size).toBe(dynamic);
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(from + band);
    if (dynamic < size - band) return;
    const rest = await takePorts(allocator, band);
    expect(rest.every((port) => port < from + band)).toBe(true);
    expect(new Set(rest).size).toBe(band);
    await expect(takePorts(allocator, 1)).rejects.toThrow("failed to allocate a nodePort: range is full");
    expect(allocator.portsIn()).toEqual({ taken: size, free: 0 });
  });

  test("without it every port is as likely", async () => {
    const ports = await takePorts(await allocatorOf(30000, 30099, false), 90);
    // 90 of 100 ports cannot be taken without some of these 16.
    expect(ports.filter((port) => port < 30016).length).toBeGreaterThan(0);
  });

  test("clients may choose a port of either part, once, and none outside", async () => {
    const allocator = await allocatorOf(30000, 32767, true);
    for (const port of [30000, 30085, 30086, 32767]) {
      expect(await claimPort(allocator, port, false)).toBeUndefined();
      expect(await claimPort(allocator, port, false)).toBe("provided port is already allocated");
    }
    expect(await claimPort(allocator, 29999, false)).toBe(
      "provided port is not in the valid range. The range of valid ports is 30000-32767",
    );
  });
});

test("addresses: the lower ones are given out last, and a full range says so", async () => {
  const allocator = await allocatorOf(30000, 30015, false);
  const [range] = allocator.ranges;
  if (range === undefined) throw new TypeError("the allocator has a range");
  const last = (address: string) => Number(address.split(".")[3]);
  const take = (count: number) =>
    Promise.all(Array.from({ length: count }, () => allocator.takeAddress(range, holder, false)));
  const dynamic = (await take(14)).map(last);
  expect([...dynamic].sort((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, i) => i + 17));
  expect((await take(16)).map(last).sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  await expect(take(1)).rejects.toThrow("range 10.0.0.0/27 is full");
  expect(await allocator.claimAddress(range, "10.0.0.9", holder, false)).toBe(
    "failed to allocate IP 10.0.0.9: provided IP is already allocated",
  );
  await allocator.release({ addresses: ["10.0.0.9", "192.168.0.1"], ports: [1] }, holder);
  expect(await allocator.takeAddress(range, holder, false)).toBe("10.0.0.9");
});

test("a dry run takes nothing", async () => {
  const allocator = await allocatorOf(30000, 30000, false);
  expect(await takePort(allocator, true)).toBe(30000);
  expect(await claimPort(allocator, 30000, true)).toBeUndefined();
  expect(allocator.portsIn()).toEqual({ taken: 0, free: 1 });
});

test("a crowd of callers costs a few commits, not one each", async () => {
  const allocator = await allocatorOf(1, 65535, false);
  const before = await store.revision();
  await takePorts(allocator, 1000);
  expect((await store.revision()) - before).toBeLessThan(10);
});

test("allocations of another range do not count, and nothing is handed out before they are rebuilt", async () => {
  await takePorts(await allocatorOf(30000, 30010, false), 5);
  const ports = { from: 30000, to: 30020 };
  const other = new ServiceAllocator({ ranges: [], ports, store });
  await expect(takePort(other)).rejects.toMatchObject({ status: { code: 503 } });
  expect(await other.nodePorts.snapshot()).toMatchObject({ current: false });
});
