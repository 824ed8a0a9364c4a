import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, type Logger, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MemoryNotificationOptions, MemoryNotifications } from "./memory-notifications.ts";

let dir: string;
let stopping: AbortController;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-notify-"));
  stopping = new AbortController();
});
afterEach(() => {
  stopping.abort();
  rmSync(dir, { recursive: true, force: true });
});

/** Notifications whose warnings and events are counted. */
function follow(options: Partial<MemoryNotificationOptions>) {
  const warnings: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (_, values) => void warnings.push(String(values?.error)),
    v: () => undefined,
  };
  const clock = new FakeClock();
  let crossed = 0;
  const notifications = new MemoryNotifications({
    ...{ folder: dir, clock, logger, signal: stopping.signal, onCrossed: () => void crossed++ },
    ...options,
  });
  return { notifications, warnings, clock, crossed: () => crossed };
}

/** A control group of memory on this machine; undefined where there is none. */
function newGroup(): string | undefined {
  const group = `/sys/fs/cgroup/memory/o8s-notify-${process.pid}`;
  try {
    execFileSync("perl", ["-e", "1"]);
    if (!existsSync("/sys/fs/cgroup/memory/cgroup.event_control")) return undefined;
    mkdirSync(group);
    return group;
  } catch {
    return undefined;
  }
}

const group = newGroup();
// shows: kernelMemcgNotification
test.skipIf(group === undefined)(
  "the kernel sends a notification when the memory usage of a group exceeds a threshold",
  async () => {
    const folder = group ?? "";
    const { notifications, crossed, warnings } = follow({ folder });
    notifications.update(64 * 1024 * 1024);
    // The process takes memory when it is told to, in the group.
    const child = spawn("perl", ["-e", 'my $n = 100_000_000; <STDIN>; my $s = "x" x $n; <STDIN>'], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    try {
      writeFileSync(join(folder, "cgroup.procs"), String(child.pid));
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([crossed(), warnings]).toEqual([0, []]);
      child.stdin.write("\n");
      await expect.poll(crossed, { timeout: 10_000 }).toBeGreaterThan(0);
    } finally {
      const ended = new Promise((resolve) => child.on("close", resolve));
      child.kill("SIGKILL");
      await ended;
      stopping.abort();
      await expect.poll(() => removed(folder), { timeout: 10_000 }).toBe(true);
    }
  },
);

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

const script = (text: string): readonly [string, ...string[]] => ["sh", "-c", text, "listener"];

test("the program receives the folder, the system call and each new threshold", async () => {
  const command = script('echo "$1 $2" > "$1/out"; while read line; do echo "$line" >> "$1/out"; echo crossed; done');
  const { notifications, crossed } = follow({ command, architecture: "arm64" });
  for (const bytes of [5.5, 5, 7]) notifications.update(bytes);
  await expect.poll(crossed).toBe(2);
  expect(execFileSync("cat", [join(dir, "out")], { encoding: "utf8" })).toBe(`${dir} 19\n5\n7\n`);
});

test("if the program is missing or fails, there is one warning, and it is started again after a minute", async () => {
  const missing = follow({ command: ["/nowhere/perl"] });
  missing.notifications.update(1);
  await expect.poll(() => missing.warnings).toEqual([expect.stringContaining("ENOENT")]);

  const failing = follow({
    command: script('echo x >> "$1/starts"; echo "cgroup.event_control: Permission denied" >&2; exit 1'),
  });
  const starts = () => (existsSync(join(dir, "starts")) ? execFileSync("cat", [join(dir, "starts")]).length / 2 : 0);
  failing.notifications.update(1);
  await expect.poll(() => failing.warnings).toEqual(["cgroup.event_control: Permission denied"]);
  failing.notifications.update(2);
  expect(starts()).toBe(1);
  failing.clock.advance(60_000);
  failing.notifications.update(3);
  await expect.poll(starts).toBe(2);
  expect(failing.warnings).toHaveLength(1);
});

test("the program for perl says what it cannot open", async () => {
  const { notifications, warnings } = follow({});
  notifications.update(1);
  await expect.poll(() => warnings).toEqual([expect.stringMatching(/memory\.usage_in_bytes: No such file|ENOENT/)]);
});

test("an architecture whose system call is not known has no notifications", () => {
  const { notifications, warnings } = follow({ architecture: "mips" });
  notifications.update(1);
  expect(warnings).toEqual(["not on architecture mips"]);
});

test("the program ends with the agent", async () => {
  const command = script('while read line; do :; done; echo over > "$1/over"');
  const { notifications, warnings } = follow({ command });
  notifications.update(1);
  stopping.abort();
  await expect.poll(() => existsSync(join(dir, "over"))).toBe(true);
  expect(warnings).toEqual([]);
  notifications.update(2);
});
