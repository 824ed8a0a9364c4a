import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { bridgeAddress, deleteBridge, ensureBridge } from "./bridge.ts";
import { findProgram } from "./probe-container-host.ts";

const run = promisify(execFile);

test("a bridge has the first address of its pod network", () => {
  expect(bridgeAddress("10.244.1.0/24")).toBe("10.244.1.1");
  expect(() => bridgeAddress("fd00::/64")).toThrow(/^Cannot use pod network "fd00::\/64": must be an IPv4 network/);
});

const canMake = process.getuid?.() === 0 && findProgram("ip") !== undefined;
test.runIf(canMake)("a bridge exists before any pod, and is created once", async () => {
  const name = `o8s-t-${process.pid}`;
  onTestFinished(() => deleteBridge(name));
  await ensureBridge(name, "10.255.254.0/24");
  await ensureBridge(name, "10.255.254.0/24");
  const { stdout } = await run("ip", ["-br", "address", "show", "dev", name]);
  expect(stdout).toMatch(/10\.255\.254\.1\/24/);
  await deleteBridge(name);
  await deleteBridge(name);
  await expect(run("ip", ["link", "show", name])).rejects.toThrow();
});
