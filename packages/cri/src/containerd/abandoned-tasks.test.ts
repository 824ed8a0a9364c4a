import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeAbandonedTasks, tasksPresent } from "./abandoned-tasks.ts";
import { shimSocket } from "./shim-sockets.ts";

const shimProgram = "containerd-shim-runc-v2";
let dir: string;
const path = process.env.PATH;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tasks-"));
  copyFileSync("/bin/sh", join(dir, shimProgram));
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(dir, { recursive: true, force: true });
});

/** A process that looks like the shim of a task: a shell of that name, which waits for input. */
function shim(socket: string, id: string) {
  const child = spawn(join(dir, shimProgram), ["-c", "read line", "--", "-address", socket, "-id", id], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  return { child, exited: once(child, "exit") };
}

test("shims of tasks that containerd does not know are ended, also without files; those with a known container, and of other containerds, stay", async () => {
  const places = { state: join(dir, "state"), socket: join(dir, "containerd.sock") };
  const folders = join(places.state, "io.containerd.runtime.v2.task/k8s.io");
  for (const id of ["known", "files"]) mkdirSync(join(folders, id), { recursive: true });
  // The sandbox of this container has ended.
  writeFileSync(join(folders, "known", "address"), `unix://${shimSocket(places.socket, "sandbox")}`);
  // In the place of containerd's client.
  writeFileSync(join(dir, "ctr"), "#!/bin/sh\necho known\n");
  chmodSync(join(dir, "ctr"), 0o755);
  process.env.PATH = `${dir}:${path}`;
  const [sandbox, bare, other] = [
    shim(places.socket, "sandbox"),
    shim(places.socket, "bare"),
    shim(join(dir, "other.sock"), "bare"),
  ];
  try {
    await expect
      .poll(async () => (await tasksPresent(places)).toSorted())
      .toEqual(["bare", "files", "known", "sandbox"]);
    const removed = await removeAbandonedTasks(places, await tasksPresent(places));
    expect(removed.toSorted()).toEqual(["bare", "files"]);
    await bare.exited;
    expect(readdirSync(folders)).toEqual(["known"]);
    expect([sandbox.child.exitCode, sandbox.child.signalCode, other.child.signalCode]).toEqual([null, null, null]);
  } finally {
    for (const { child } of [sandbox, bare, other]) child.kill("SIGKILL");
    await Promise.all([sandbox.exited, bare.exited, other.exited]);
  }
});
