import { describe, expect, test } from "vitest";
import { addressAt, contains, ipRange, isAllocatable } from "./ip-range.ts";
import { Pool } from "./pool.ts";

describe("Pool", () => {
  test("a reservation keeps others out until it runs out", () => {
    let now = 0;
    const pool = new Pool<number>({ now: () => now, reservationMs: 10 });
    expect(pool.reserve(1, "a")).toBe(true);
    expect(pool.reserve(1, "b")).toBe(false);
    now = 10;
    expect(pool.reserve(1, "b")).toBe(true);
  });

  test("what an object no longer has is free; what it still has is not", () => {
    const pool = new Pool<number>({ now: () => 0 });
    pool.hold("a", [1, 2]);
    pool.hold("a", [2, 3]);
    expect([1, 2, 3].map((v) => pool.holderOf(v))).toEqual([undefined, "a", "a"]);
    pool.release("a");
    expect([1, 2, 3].map((v) => pool.holderOf(v))).toEqual([undefined, undefined, undefined]);
  });

  test("a value handed on before the release was seen stays with its new holder", () => {
    const pool = new Pool<number>({ now: () => 0 });
    pool.hold("a", [1]);
    pool.hold("b", [1]);
    pool.release("a");
    expect(pool.holderOf(1)).toBe("b");
  });
});

describe("ipRange", () => {
  test.each([
    ["10.0.0.0/24", 1n, "10.0.0.1"],
    ["10.0.0.77/24", 255n, "10.0.0.255"],
    ["fd00::/108", 10n, "fd00::a"],
  ])("%s + %s = %s", (cidr, offset, want) => {
    expect(addressAt(ipRange(cidr), offset)).toBe(want);
  });

  test.each([
    ["10.0.0.0/24", "10.0.0.0", true, false],
    ["10.0.0.0/24", "10.0.0.255", true, false],
    ["10.0.0.0/24", "10.0.0.254", true, true],
    ["10.0.0.0/24", "10.0.1.1", false, false],
    ["10.0.0.0/24", "::1", false, false],
    ["fd00::/108", "fd00::", true, false],
    ["fd00::/108", "fd00::ffff", true, true],
  ])("%s and %s: contains %s, allocatable %s", (cidr, address, inside, allocatable) => {
    expect([contains(ipRange(cidr), address), isAllocatable(ipRange(cidr), address)]).toEqual([inside, allocatable]);
  });
});
