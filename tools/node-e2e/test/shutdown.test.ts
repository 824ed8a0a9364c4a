import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeBus, startFakeBus } from "@orchernetes/host/dbus/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shell } from "../src/pods.ts";
import { cannotRun, startTestNode, type TestNode, title } from "../src/test-node.ts";

const prepare = {
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager",
  member: "PrepareForShutdown",
};
/** How long the host waits for locks, in microseconds: longer than the agent needs, so that it changes no configuration of the host. */
const delayUs = 120_000_000n;

/** A pod that, when it is asked to end, writes when that was and ends after a second; or goes on, if it is stubborn. */
const ending = (isStubborn: boolean) =>
  shell(
    `trap 'date +%s > /dev/termination-log; sleep ${isStubborn ? 600 : 1}; exit 0' TERM; while :; do sleep 0.2; done`,
  );

describe.skipIf(cannotRun !== undefined)(title("a shutdown of the host"), () => {
  let dir: string;
  let bus: FakeBus;
  let node: TestNode;
  const isHeld = () => existsSync(join(dir, "held"));

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "o8s-logind-"));
    // Holds the lock as systemd-inhibit does: as long as the program after the options runs.
    writeFileSync(join(dir, "systemd-inhibit"), `#!/bin/sh\necho lock > ${dir}/held\ncat\nrm ${dir}/held\n`, {
      mode: 0o700,
    });
    bus = await startFakeBus(join(dir, "bus"), ({ member }) =>
      member === "Get" ? { signature: "v", body: [{ signature: "t", value: delayUs }] } : undefined,
    );
    node = await startTestNode({
      settings: {
        shutdownGracePeriodByPodPriority: [
          { priority: 0, shutdownGracePeriodSeconds: 8 },
          { priority: 1000, shutdownGracePeriodSeconds: 5 },
          { priority: 2_000_000_000, shutdownGracePeriodSeconds: 10 },
        ],
        featureGates: { PodDisruptionConditions: true, GracefulNodeShutdownBasedOnPodPriority: true },
      },
      env: { DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${join(dir, "bus")}`, PATH: `${dir}:${process.env.PATH}` },
    });
  });
  afterAll(async () => {
    await node?.stop();
    await bus?.close();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  const signal = (begins: boolean) => bus.signal(prepare, { signature: "b", body: [begins] });
  const askedAt = (name: string) =>
    Number(node.shown(name)?.status?.containerStatuses?.[0]?.state?.terminated?.message);

  test("terminates pods by priority, each group within its period, and then proceeds", async () => {
    const long = { terminationGracePeriodSeconds: 60 };
    node.create("low", ending(false), { ...long, priority: 0 });
    node.create("stubborn", ending(true), { ...long, priority: 10 });
    node.create("high", ending(false), { ...long, priority: 5000 });
    node.create("critical", ending(false), { ...long, priority: 2_000_000_000 });
    for (const name of ["low", "stubborn", "high", "critical"]) await node.untilPhase(name, "Running");
    await node.until("the lock", isHeld);
    const began = Date.now();
    signal(true);
    await node.until("the node not to be ready", () => node.condition("Ready") === "False");
    const ready = node.node()?.status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready?.message).toBe("node is shutting down");
    node.create("late", shell("sleep 600"));
    await node.untilPhase("late", "Failed");
    expect(node.shown("late")?.status).toMatchObject({ reason: "NodeShutdown" });
    for (const name of ["low", "stubborn", "high", "critical"]) {
      await node.untilPhase(name, "Failed");
      expect(node.shown(name)?.status).toMatchObject({
        reason: "Terminated",
        message: "Pod was terminated in response to imminent node shutdown.",
      });
    }
    await node.until("the lock to be released", () => !isHeld());
    // The stubborn pod is killed when the 8 seconds of its group are over; only then the next group is asked.
    expect(Date.now() - began).toBeLessThan(60_000);
    expect(askedAt("high") - askedAt("low")).toBeGreaterThanOrEqual(7);
    expect(askedAt("critical")).toBeGreaterThanOrEqual(askedAt("high") + 1);
    const [killed] = node.shown("stubborn")?.status?.containerStatuses ?? [];
    expect(killed?.state?.terminated?.exitCode).toBe(137);
    expect(readFileSync(node.agent.logFile, "utf8")).not.toContain("logind.conf.d");
  });

  test("lets pods start again when it is cancelled; pods that have terminated stay terminated", async () => {
    signal(false);
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
    await node.until("the lock", isHeld);
    node.create("after", shell("sleep 600"));
    await node.untilPhase("after", "Running");
    expect(node.shown("low")?.status?.phase).toBe("Failed");
  });

  test("is still noticed after the connection to the bus was lost", async () => {
    bus.disconnect();
    await node.until("another connection", () => bus.connections() > 0, 60_000);
    await node.until("the lock", isHeld);
    // The match rule is added after the connection.
    await node.until("the subscription", () => {
      signal(true);
      return node.condition("Ready") === "False";
    });
    await node.untilPhase("after", "Failed");
    signal(false);
    await node.until("the node to be ready", () => node.condition("Ready") === "True");
  });
});
