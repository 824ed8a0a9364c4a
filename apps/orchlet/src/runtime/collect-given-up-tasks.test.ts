import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collectGivenUpTasks, toldPlaces } from "./collect-given-up-tasks.ts";

test.each([
  [
    { containerdEndpoint: "/c.sock", stateDir: "/s/io.containerd.grpc.v1.cri" },
    { socket: "/c.sock", state: "/s", runcRoot: "/run/containerd/runc" },
  ],
  [
    {
      ...{ containerdEndpoint: "/c.sock", stateDir: "/s/cri" },
      containerd: { runtimes: { runc: { options: { Root: "/r" } } } },
    },
    { socket: "/c.sock", state: "/s", runcRoot: "/r" },
  ],
  [{ stateDir: "/s/cri" }, undefined],
  [null, undefined],
])("containerd with configuration %j has its tasks in %j", (config, places) => {
  expect(toldPlaces({ config: JSON.stringify(config) })).toEqual(places);
});

test.each([undefined, {}, { config: "<html>" }])("a runtime that says %j may be another one", (info) => {
  expect(toldPlaces(info)).toBeUndefined();
});

let dir: string;
const path = process.env.PATH;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "given-up-"));
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(dir, { recursive: true, force: true });
});

test("a task that is listed nowhere for a minute is removed, with its shim", async () => {
  const socket = join(dir, "containerd.sock");
  const folder = join(dir, "state/io.containerd.runtime.v2.task/k8s.io");
  for (const id of ["given-up", "in-cri", "in-containerd"]) mkdirSync(join(folder, id), { recursive: true });
  // In the place of containerd's client.
  writeFileSync(join(dir, "ctr"), "#!/bin/sh\necho in-containerd\n", { mode: 0o755 });
  process.env.PATH = `${dir}:${path}`;
  // A shell that waits for input, with the name of a shim.
  const program = join(dir, "containerd-shim-runc-v2");
  copyFileSync("/bin/sh", program);
  const args = ["-c", "read line", "--", "-address", socket, "-id", "given-up"];
  const shim = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
  const ended = once(shim, "exit");
  const config = JSON.stringify({ containerdEndpoint: socket, stateDir: join(dir, "state/cri") });
  let looks = 0;
  const cri = {
    runtime: {
      status: async () => ({ info: { config } }),
      async listPodSandbox() {
        looks++;
        return { items: [{ id: "in-cri" }] };
      },
      listContainers: async () => ({ containers: [] }),
    },
  } as unknown as CriClient;
  const clock = new FakeClock();
  const end = new AbortController();
  const done = collectGivenUpTasks({ cri, clock, logger: silentLogger, signal: end.signal });
  const look = async (count: number): Promise<void> => {
    await expect.poll(() => clock.waiting, { timeout: 20_000 }).toBe(1);
    await clock.advance(60_000);
    await expect.poll(() => looks, { timeout: 20_000 }).toBe(count);
    await expect.poll(() => clock.waiting, { timeout: 20_000 }).toBe(1);
  };
  try {
    await look(1);
    expect(readdirSync(folder)).toHaveLength(3);
    await look(2);
    expect(readdirSync(folder).sort()).toEqual(["in-cri", "in-containerd"].sort());
    expect(await ended).toEqual([null, "SIGKILL"]);
  } finally {
    end.abort();
    await done;
    shim.kill("SIGTERM");
  }
});
