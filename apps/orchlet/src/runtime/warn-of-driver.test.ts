import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { toldDriver, warnOfOtherDriver } from "./warn-of-driver.ts";

const info = (SystemdCgroup: unknown, defaultRuntimeName?: string) => ({
  config: JSON.stringify({ containerd: { defaultRuntimeName, runtimes: { runc: { options: { SystemdCgroup } } } } }),
});

test.each([
  [info(true, "runc"), "systemd"],
  [info(false), "cgroupfs"],
  [info("yes"), undefined],
  [info(true, "other"), undefined],
  [info(true, "__proto__"), undefined],
  [{ config: "null" }, undefined],
  [{ config: "<html>" }, undefined],
  [{}, undefined],
  [undefined, undefined],
])("a runtime that reports %j has the driver %s", (said, driver) => {
  expect(toldDriver(said)).toBe(driver);
});

test.each([
  ["cgroupfs", 1],
  ["systemd", 0],
] as const)("with cgroupDriver %s, a runtime of driver systemd causes %i warnings", async (driver, count) => {
  const warnings: unknown[] = [];
  let calls = 0;
  const clock = new FakeClock();
  const status = async () => {
    if (++calls === 1) {
      setImmediate(() => clock.advance(10_000));
      throw new Error("not there yet");
    }
    return { info: info(true, "runc") };
  };
  await warnOfOtherDriver(driver, {
    cri: { runtime: { status } } as unknown as CriClient,
    logger: { ...silentLogger, warn: (_: string, values?: object) => void warnings.push(values) },
    clock,
    signal: new AbortController().signal,
  });
  expect([calls, warnings.length]).toEqual([2, count]);
});
