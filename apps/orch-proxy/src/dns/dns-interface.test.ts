import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { addDnsAddress, removeDnsInterface } from "./dns-interface.ts";

const name = `odt-${process.pid}`;
const canAdd = process.getuid?.() === 0 && spawnSync("ip", ["link"]).status === 0;

test.skipIf(!canAdd)("an address is there once, however often it is added, and goes with its interface", async () => {
  // A range for tests of networks (RFC 2544), which no host uses.
  const address = "198.18.53.53";
  try {
    await addDnsAddress(name, address);
    await addDnsAddress(name, address);
    await addDnsAddress(name, "198.18.53.54");
    const found = networkInterfaces()[name]?.filter(({ family }) => family === "IPv4");
    expect(found?.map((one) => one.address)).toEqual([address, "198.18.53.54"]);
  } finally {
    await removeDnsInterface(name);
    await removeDnsInterface(name);
  }
  expect(networkInterfaces()[name]).toBeUndefined();
});
