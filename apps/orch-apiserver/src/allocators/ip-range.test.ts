import { describe, expect, test } from "vitest";
import {
  addressAt,
  allocatableAt,
  allocatableOffset,
  allocatableSize,
  ipRange,
  networkOf,
  staticAddressesOf,
} from "./ip-range.ts";

describe("ipRange", () => {
  test.each([
    ["10.0.0.0/24", 1n, "10.0.0.1"],
    ["10.0.0.77/24", 255n, "10.0.0.255"],
    ["fd00::/108", 10n, "fd00::a"],
  ])("%s + %s = %s", (cidr, offset, want) => {
    expect(addressAt(ipRange(cidr), offset)).toBe(want);
  });

  test.each([
    ["10.0.0.0/24", "10.0.0.0", undefined],
    ["10.0.0.0/24", "10.0.0.255", undefined],
    ["10.0.0.0/24", "10.0.0.1", 0],
    ["10.0.0.0/24", "10.0.0.254", 253],
    ["10.0.0.0/24", "10.0.1.1", undefined],
    ["10.0.0.0/24", "::1", undefined],
    ["fd00::/108", "fd00::", undefined],
    ["fd00::/108", "fd00::ffff", 65534],
    ["fd00::/108", "fd00::1:0", undefined],
  ])("%s has %s at offset %s", (cidr, address, offset) => {
    const range = ipRange(cidr);
    expect(allocatableOffset(range, address)).toBe(offset);
    if (offset !== undefined) expect(allocatableAt(range, offset)).toBe(address);
  });

  test.each([
    ["10.0.0.0/24", "010.0.000.01"],
    ["10.0.0.0/24", "::ffff:10.0.0.1"],
    ["fd00::/108", "FD00:0:0::0001"],
  ])("the first address of %s may be spelled %s", (cidr, address) => {
    expect(allocatableOffset(ipRange(cidr), address)).toBe(0);
  });

  test.each([
    ["10.0.0.9/24", "10.0.0.0/24", 254, 16],
    ["10.96.0.0/12", "10.96.0.0/12", 1_048_574, 256],
    ["10.0.0.0/28", "10.0.0.0/28", 14, 0],
    ["10.0.0.0/27", "10.0.0.0/27", 30, 16],
    ["10.0.0.0/21", "10.0.0.0/21", 2046, 128],
    ["fd00::/108", "fd00::/108", 65_535, 256],
  ])("%s is the network %s of %i addresses, the first %i of them for those who choose", (cidr, network, size, own) => {
    const range = ipRange(cidr);
    expect([networkOf(range), allocatableSize(range), staticAddressesOf(range)]).toEqual([network, size, own]);
  });
});
