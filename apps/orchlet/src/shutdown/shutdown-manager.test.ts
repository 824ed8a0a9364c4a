import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeBus, startFakeBus } from "@orchernetes/host/dbus/testing";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testPod } from "../testing/pods.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import { connectLogind } from "./logind.ts";
import { manageShutdown, type ShutdownManagerOptions } from "./shutdown-manager.ts";
import { ShutdownTimesFile } from "./shutdown-times.ts";

const prepare = {
  path: "/org/freedesktop/login1",
  interface: "org.freedesktop.login1.Manager",
  member: "PrepareForShutdown",
};

let dir: string;
let bus: FakeBus;
/** InhibitDelayMaxUSec of the fake logind. */
let delayUs: bigint;
/** What it becomes when logind reads its configuration again. */
let reloadedUs: bigint;
let stop: AbortController;
let running: Promise<void> | undefined;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "o8s-shutdown-"));
  delayUs = 5_000_000n;
  reloadedUs = 30_000_000n;
  stop = new AbortController();
  // Holds the lock as systemd-inhibit does: as long as the program after the options.
  const inhibit = join(dir, "systemd-inhibit");
  writeFileSync(inhibit, `#!/bin/sh\necho "$@" > ${dir}/asked\necho lock > ${dir}/held\ncat\nrm ${dir}/held\n`);
  chmodSync(inhibit, 0o700);
  bus = await startFakeBus(join(dir, "bus"), ({ member }) => {
    if (member === "Get") return { signature: "v", body: [{ signature: "t", value: delayUs }] };
    if (member !== "KillUnit") return undefined;
    delayUs = reloadedUs;
    return { signature: "", body: [] };
  });
});
afterEach(async () => {
  stop.abort();
  await running;
  await bus.close();
  rmSync(dir, { recursive: true, force: true });
});

const isHeld = (): boolean => existsSync(join(dir, "held"));

function start(changes: Partial<ShutdownManagerOptions> = {}) {
  const ended: [string, PodFailure][] = [];
  const states: boolean[] = [];
  const errors: string[] = [];
  const pods = [
    testPod({ priority: 2_000_000_000, terminationGracePeriodSeconds: 30 }, { uid: "critical" }),
    testPod({ priority: 0, terminationGracePeriodSeconds: 3 }, { uid: "usual" }),
  ];
  const options: ShutdownManagerOptions = {
    periods: [
      { priority: 0, seconds: 20 },
      { priority: 2_000_000_000, seconds: 10 },
    ],
    connect: () =>
      connectLogind({
        socketPath: bus.socketPath,
        confDir: join(dir, "conf"),
        inhibitProgram: join(dir, "systemd-inhibit"),
      }),
    active: () => pods,
    end: async (uid, failure) => void ended.push([uid, failure]),
    disruption: true,
    onChange: (isShuttingDown) => void states.push(isShuttingDown),
    times: new ShutdownTimesFile(dir),
    clock: systemClock,
    logger: { ...silentLogger, error: (error: unknown) => void errors.push(String(error)) },
    ...changes,
  };
  running = manageShutdown(options, stop.signal);
  return { ended, states, errors };
}
const signal = (begins: boolean) => bus.signal(prepare, { signature: "b", body: [begins] });
const isReady = () => vi.waitFor(() => expect(isHeld()).toBe(true));

// shows: shutdownGracePeriodByPodPriority
test("the host delays its shutdown until the pods have been terminated by priority", async () => {
  const { ended, states } = start();
  await isReady();
  expect(readFileSync(join(dir, "conf", "99-orchlet.conf"), "utf8")).toBe(
    "# Orchlet logind override\n[Login]\nInhibitDelayMaxSec=30\n",
  );
  expect(readFileSync(join(dir, "asked"), "utf8")).toMatch(/--what=shutdown --who=orchlet .*--mode=delay cat/);
  expect(bus.calls.find(({ member }) => member === "KillUnit")?.body).toEqual(["systemd-logind.service", "all", 1]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  signal(true);
  await vi.waitFor(() => expect(isHeld()).toBe(false));
  const failure = { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." };
  expect(ended).toEqual([
    ["usual", { ...failure, graceSeconds: 3, disruption: true }],
    ["critical", { ...failure, graceSeconds: 10, disruption: true }],
  ]);
  expect(states).toEqual([true]);
  const { startTime, endTime } = new ShutdownTimesFile(dir).read();
  expect(startTime).toBeGreaterThan(1e9);
  expect(endTime).toBeGreaterThanOrEqual(startTime);
});

test("a shutdown that is cancelled is delayed again the next time", async () => {
  delayUs = 60_000_000n;
  const { states } = start();
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 100));
  signal(true);
  await vi.waitFor(() => expect(isHeld()).toBe(false));
  signal(false);
  await isReady();
  expect(states).toEqual([true, false]);
  expect(existsSync(join(dir, "conf"))).toBe(false);
});

test("pods that do not terminate do not delay the shutdown beyond their period", async () => {
  const { states } = start({
    periods: [{ priority: 0, seconds: 1 }],
    end: () => new Promise(() => undefined),
  });
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 100));
  signal(true);
  await vi.waitFor(() => expect(states).toEqual([true]));
  expect(isHeld()).toBe(true);
  await vi.waitFor(() => expect(isHeld()).toBe(false), 5000);
});

test("an error of the inhibitor lock is reported and retried", async () => {
  reloadedUs = 7_000_000n;
  const { errors } = start();
  await vi.waitFor(() =>
    expect(errors[0]).toMatch(/unable to update logind InhibitDelayMaxSec to 30s .*\(7s\) is less/),
  );
  expect(isHeld()).toBe(false);
  reloadedUs = 30_000_000n;
  await vi.waitFor(() => expect(isHeld()).toBe(true), 10_000);
});

test("a denied lock and an unavailable bus are reported as errors", async () => {
  writeFileSync(join(dir, "systemd-inhibit"), "#!/bin/sh\necho Access denied >&2\nexit 1\n");
  const { errors } = start();
  await vi.waitFor(() => expect(errors[0]).toMatch(/cannot be delayed: .*ended with code 1: Access denied/));
  await expect(connectLogind({ socketPath: join(dir, "none") })).rejects.toThrow(/ENOENT/);
});

test("the connection to the bus is opened again after the bus closes it", async () => {
  delayUs = 60_000_000n;
  const { ended } = start({ periods: [{ priority: 0, seconds: 1 }] });
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 100));
  bus.disconnect();
  await vi.waitFor(() => expect(bus.calls.filter(({ member }) => member === "Get")).toHaveLength(2), 5000);
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 100));
  signal(true);
  await vi.waitFor(() => expect(ended).toHaveLength(2));
});

test("a signal of another sender does not terminate the pods", async () => {
  delayUs = 60_000_000n;
  const { ended } = start();
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 100));
  bus.signal({ ...prepare, destination: ":1.1" }, { signature: "b", body: [true] });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(ended).toEqual([]);
});

test("a flood of signals terminates the pods and is handled quickly", async () => {
  delayUs = 60_000_000n;
  const { states } = start({ periods: [{ priority: 0, seconds: 1 }] });
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (let i = 0; i < 5000; i++) signal(true);
  for (let i = 0; i < 5000; i++) signal(false);
  await vi.waitFor(() => expect(states.at(-1)).toBe(false), 5000);
  await isReady();
  expect(states.length).toBeLessThan(20);
});

test("the lock is taken again if its program was killed", async () => {
  delayUs = 60_000_000n;
  writeFileSync(join(dir, "systemd-inhibit"), `#!/bin/sh\necho $$ > ${dir}/held\nexec cat\n`);
  start();
  await isReady();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const first = Number(readFileSync(join(dir, "held"), "utf8"));
  process.kill(first, "SIGKILL");
  await vi.waitFor(() => expect(Number(readFileSync(join(dir, "held"), "utf8"))).not.toBe(first), 5000);
});

test("a program that never gets the lock does not delay the end of the agent", async () => {
  delayUs = 60_000_000n;
  writeFileSync(join(dir, "systemd-inhibit"), `#!/bin/sh\ntouch ${dir}/held\nexec sleep 100\n`);
  start();
  await isReady();
  stop.abort();
  const begun = performance.now();
  await running;
  expect(performance.now() - begun).toBeLessThan(5000);
});
