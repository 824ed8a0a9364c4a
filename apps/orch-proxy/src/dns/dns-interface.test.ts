import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { addDnsAddress, isOwn, removeDnsInterface } from "./dns-interface.ts";
import { readInterface } from "./read-interface.ts";

const name = `odt-${process.pid}`;
const canAdd = process.getuid?.() === 0 && spawnSync("ip", ["link"]).status === 0;

test.skipIf(!canAdd)("an address is there once, however often it is added, and goes with its interface", async () => {
  // A range for tests of networks (RFC 2544), which no host uses.
  const address = "198.18.53.53";
  const dnsAddresses = [address, "198.18.53.54"];
  try {
    await addDnsAddress(name, address, dnsAddresses);
    await addDnsAddress(name, address, dnsAddresses);
    await addDnsAddress(name, "198.18.53.54", dnsAddresses);
    const found = networkInterfaces()[name]?.filter(({ family }) => family === "IPv4");
    expect(found?.map((one) => one.address)).toEqual([address, "198.18.53.54"]);
  } finally {
    await removeDnsInterface(name, dnsAddresses);
    await removeDnsInterface(name, dnsAddresses);
  }
  expect(networkInterfaces()[name]).toBeUndefined();
});

test.skipIf(!canAdd)("an interface of another program is neither used nor removed", async () => {
  const other = `odo-${process.pid}`;
  const ip = (...args: string[]) => spawnSync("ip", args).status;
  try {
    const added = ip("link", "add", other, "type", "dummy") === 0 || ip("link", "add", other, "type", "bridge") === 0;
    expect(added).toBe(true);
    ip("address", "add", "198.18.53.60/32", "dev", other);
    await expect(addDnsAddress(other, "198.18.53.61", ["198.18.53.61"])).rejects.toThrow(
      /was not created for cluster DNS/,
    );
    expect(await removeDnsInterface(other, ["198.18.53.61"])).toBe(false);
    expect(ip("link", "show", other)).toBe(0);
  } finally {
    ip("link", "delete", other);
  }
});

test("an interface is of cluster DNS by its alias, or by its addresses if it has none", () => {
  const dns = ["10.96.0.10", "fd00::0a"];
  const found = (kind: string, alias: string, ...addresses: string[]) => isOwn({ kind, alias, addresses }, dns);
  expect(found("dummy", "orchernetes cluster DNS", "192.0.2.1")).toBe(true);
  expect(found("dummy", "another", "10.96.0.10")).toBe(false);
  expect(found("dummy", "", "10.96.0.10", "fd00::a")).toBe(true);
  expect(found("dummy", "")).toBe(true);
  expect(found("dummy", "", "10.96.0.10", "192.0.2.1")).toBe(false);
  expect(found("bridge", "", "10.96.0.10")).toBe(true);
  expect(found("bridge", "")).toBe(false);
  expect(found("wireguard", "orchernetes cluster DNS")).toBe(false);
  expect(found("", "", "10.96.0.10")).toBe(false);
});

test("the kind, the alias and the addresses are read from what `ip` writes", () => {
  const address = { family: "inet", local: "10.96.0.10", prefixlen: 32, scope: "global" };
  const own = { family: "inet6", local: "fe80::1", prefixlen: 64, scope: "link" };
  const link = { ifname: "dns0", ifalias: "a", linkinfo: { info_kind: "dummy" }, addr_info: [address, own] };
  expect(readInterface(JSON.stringify([{}, link]), "dns0")).toEqual({
    kind: "dummy",
    alias: "a",
    addresses: ["10.96.0.10"],
  });
  expect(readInterface(JSON.stringify([{ ifname: "eth0" }]), "eth0")).toEqual({ kind: "", alias: "", addresses: [] });
  for (const text of ["", "nonsense", "[]", "null", '[{"ifname":"eth1"}]'])
    expect(readInterface(text, "eth0")).toBeUndefined();
});
