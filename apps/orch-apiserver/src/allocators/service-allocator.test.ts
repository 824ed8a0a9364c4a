import { describe, expect, test } from "vitest";
import { ServiceAllocator } from "./service-allocator.ts";

/** The first `count` ports that an allocator gives out by itself. */
function taken(from: number, to: number, staticPorts: boolean, count: number): readonly number[] {
  const allocator = new ServiceAllocator({ ranges: [], ports: { from, to }, staticPorts, now: () => 0 });
  return Array.from({ length: count }, (_, i) => allocator.takePort(`default/s${i}`, false, new Set()));
}

describe("node ports with a static subrange", () => {
  test.each([
    // The band is one in 32, 16 at least and 128 at most (KEP-3668).
    { what: "the default range", from: 30000, to: 32767, band: 86 },
    { what: "all ports", from: 1, to: 65535, band: 128 },
    { what: "a range whose 32nd part is below 16", from: 30000, to: 30099, band: 16 },
    { what: "a range of 17", from: 30000, to: 30016, band: 16 },
    { what: "a range of 16", from: 30000, to: 30015, band: 0 },
    { what: "one port", from: 30000, to: 30000, band: 0 },
  ])("$what: $band are given out last", ({ from, to, band }) => {
    const size = to - from + 1;
    const dynamic = Math.min(size - band, 400);
    const ports = taken(from, to, true, dynamic);
    expect(new Set(ports).size).toBe(dynamic);
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(from + band);
    if (dynamic < size - band) return;
    const all = taken(from, to, true, size);
    expect(all.slice(dynamic).every((port) => port < from + band)).toBe(true);
    expect(new Set(all).size).toBe(size);
  });

  test("without it every port is as likely", () => {
    const lower = taken(30000, 30099, false, 90).filter((port) => port < 30016);
    // 90 of 100 ports cannot be taken without some of these 16.
    expect(lower.length).toBeGreaterThan(0);
  });

  test("clients may choose a port of either part", () => {
    const allocator = new ServiceAllocator({
      ranges: [],
      ports: { from: 30000, to: 32767 },
      staticPorts: true,
      now: () => 0,
    });
    for (const port of [30000, 30085, 30086, 32767])
      expect(allocator.claimPort(port, `default/p${port}`, "spec.ports[0].nodePort", false)).toBeUndefined();
  });
});
