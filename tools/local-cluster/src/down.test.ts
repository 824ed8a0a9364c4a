import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerdPaths } from "@orchernetes/cri/containerd";
import { serveCri } from "@orchernetes/cri/testing";
import { canMount, mountsBelow, unmountBelow } from "@orchernetes/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { down } from "./down.ts";
import { layout } from "./layout.ts";
import { startTicksOf } from "./processes.ts";
import { readState, writeState } from "./state.ts";

const mayMount = await canMount();
let dir: string;
let host: string;
let dataDir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-down-"));
  host = join(dir, "host");
  dataDir = join(dir, "data");
  mkdirSync(host);
  writeFileSync(join(host, "file"), "precious");
});
afterEach(async () => {
  await unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
});

/** A cluster that was stopped the hard way: nothing runs, and part of a hostPath volume is mounted still. */
function leaveCluster(): string {
  const files = layout(dataDir);
  const subPath = join(files.node("node-1"), "pods/uid/volume-subpaths/v/c/0");
  mkdirSync(subPath, { recursive: true });
  mkdirSync(files.pki);
  writeFileSync(files.adminConfig, "");
  writeState(files.stateFile, {
    version: 1,
    port: 1,
    store: "embedded",
    etcdPort: 2,
    etcdPeerPort: 3,
    schedulerPort: 4,
    controllerManagerPort: 5,
    nodes: [
      {
        name: "node-1",
        runtime: "containerd",
        port: 6,
        healthzPort: 7,
        podCidr: "10.64.0.0/24",
        bridge: `o8s-none-${process.pid}`,
        endpoint: "unix:///x",
      },
    ],
    processes: [],
  });
  execFileSync("mount", ["--bind", host, subPath]);
  return subPath;
}

/** A process that looks like a shim of the containerd on a socket: a shell of that name, which waits for input. */
function spawnShim(socket: string) {
  const program = join(dir, "containerd-shim-runc-v2");
  copyFileSync("/bin/sh", program);
  const args = ["-c", "read line", "--", "-address", socket, "-id", "given-up"];
  return spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
}

describe.skipIf(!mayMount)("down", () => {
  test("deletes the data folder and nothing of the host that is mounted in it", async () => {
    leaveCluster();
    await down({ dataDir, purge: true }, () => undefined);
    expect(readFileSync(join(host, "file"), "utf8")).toBe("precious");
    expect(existsSync(dataDir)).toBe(false);
  });

  test("deletes a folder without a state file in the same way", async () => {
    leaveCluster();
    rmSync(layout(dataDir).stateFile);
    await down({ dataDir, purge: true }, () => undefined);
    expect([readFileSync(join(host, "file"), "utf8"), existsSync(dataDir)]).toEqual(["precious", false]);
  });

  test("leaves nothing mounted without --purge either", async () => {
    const subPath = leaveCluster();
    await down({ dataDir, purge: false }, () => undefined);
    expect(await mountsBelow(dataDir)).toEqual([]);
    expect(readdirSync(subPath)).toEqual([]);
  });

  test("refuses to delete while something is in use, and says what", async () => {
    const subPath = leaveCluster();
    const holder = spawn("sleep", ["30"], { cwd: subPath, stdio: "ignore" });
    try {
      await expect(down({ dataDir, purge: true }, () => undefined)).rejects.toThrow(
        /still mounted below it: ".*subpaths/,
      );
      expect(readFileSync(join(host, "file"), "utf8")).toBe("precious");
    } finally {
      holder.kill("SIGKILL");
    }
  });

  test("a folder that up did not make is left alone, with the keys in it", async () => {
    const subPath = leaveCluster();
    rmSync(layout(dataDir).stateFile);
    rmSync(layout(dataDir).adminConfig);
    await down({ dataDir, purge: true }, () => undefined);
    expect([readdirSync(dataDir).sort(), readdirSync(subPath)]).toEqual([["nodes", "pki"], ["file"]]);
  });

  test.each([
    ["the folder", () => dataDir],
    ["the state file", () => layout(dataDir).stateFile],
  ])("ends nothing that a state file names if %s belongs to another user", async (_, path) => {
    leaveCluster();
    const { stateFile } = layout(dataDir);
    const victim = spawn("sleep", ["30"], { stdio: "ignore" });
    try {
      const state = readState(stateFile);
      if (state === undefined || victim.pid === undefined) throw new Error("the test has no cluster");
      const started = { name: "orchlet-node-1", pid: victim.pid, startTicks: startTicksOf(victim.pid) };
      writeState(stateFile, { ...state, processes: [started] });
      chownSync(path(), 65534, -1);
      await expect(down({ dataDir, purge: true }, () => undefined)).rejects.toThrow(/belongs to user 65534/);
      expect([startTicksOf(victim.pid), existsSync(layout(dataDir).pki)]).toEqual([started.startTicks, true]);
    } finally {
      victim.kill("SIGKILL");
    }
  });

  test("stops everything although a pod cannot be removed, and can be called again", async () => {
    leaveCluster();
    const { stateFile } = layout(dataDir);
    const socketPath = join(dir, "cri.sock");
    let isBusy = true;
    const removed: string[] = [];
    const pod = (id: string) => ({ id, metadata: { name: id, namespace: "demo", uid: id, attempt: 0 } });
    const runtime = await serveCri({
      socketPath,
      images: {},
      runtime: {
        listPodSandbox: () => ({ items: [pod("stuck"), pod("other")] }),
        listContainers: () => ({ containers: [] }),
        stopPodSandbox: () => ({}),
        removePodSandbox: ({ podSandboxId }) => {
          if (podSandboxId === "stuck" && isBusy) throw new Error("device or resource busy");
          removed.push(podSandboxId);
          return {};
        },
      },
    });
    const daemons = ["containerd-node-1", "orch-apiserver"].map((name) => {
      const { pid } = spawn("sleep", ["30"], { stdio: "ignore" });
      if (pid === undefined) throw new Error("the test has no process");
      return { name, pid, startTicks: startTicksOf(pid) };
    });
    try {
      const state = readState(stateFile);
      if (state === undefined) throw new Error("the test has no cluster");
      const nodes = state.nodes.map((node) => ({ ...node, endpoint: `unix://${socketPath}` }));
      writeState(stateFile, { ...state, nodes, processes: daemons });
      await expect(down({ dataDir, purge: true }, () => undefined)).rejects.toThrow(
        /pod demo\/stuck of node-1: .*device or resource busy/,
      );
      expect(removed).toEqual(["other"]);
      expect(daemons.map(({ pid }) => startTicksOf(pid))).toEqual([undefined, undefined]);
      expect(existsSync(stateFile)).toBe(true);
    } finally {
      isBusy = false;
      await runtime.close();
      for (const { pid } of daemons) if (startTicksOf(pid) !== undefined) process.kill(pid, "SIGKILL");
    }
  });

  test("ends a shim that containerd has given up", async () => {
    leaveCluster();
    const { stateFile, runtime: runtimeDir } = layout(dataDir);
    const socketPath = join(dir, "cri.sock");
    const runtime = await serveCri({
      socketPath,
      images: {},
      runtime: { listPodSandbox: () => ({ items: [] }) },
    });
    // In the place of containerd and its client: no task is known.
    writeFileSync(join(dir, "ctr"), "#!/bin/sh\n", { mode: 0o755 });
    const containerd = spawn("sleep", ["30"], { stdio: "ignore" });
    const shim = spawnShim(containerdPaths(runtimeDir("node-1")).socket);
    const ended = once(shim, "exit");
    const { PATH } = process.env;
    process.env.PATH = `${dir}:${PATH}`;
    try {
      const state = readState(stateFile);
      if (state === undefined || containerd.pid === undefined) throw new Error("the test has no cluster");
      const nodes = state.nodes.map((node) => ({ ...node, endpoint: `unix://${socketPath}` }));
      const { pid } = containerd;
      const processes = [{ name: "containerd-node-1", pid, startTicks: startTicksOf(pid) }];
      writeState(stateFile, { ...state, nodes, processes });
      await expect
        .poll(() => readFileSync(`/proc/${shim.pid}/cmdline`, "utf8"), { timeout: 20_000 })
        .toContain("containerd-shim");
      await down({ dataDir, purge: true }, () => undefined);
      expect(await ended).toEqual([null, "SIGKILL"]);
    } finally {
      process.env.PATH = PATH;
      await runtime.close();
      containerd.kill("SIGKILL");
      shim.kill("SIGTERM");
    }
  });

  test("removes the pods of a full node a few at a time", async () => {
    leaveCluster();
    const { stateFile } = layout(dataDir);
    const socketPath = join(dir, "cri.sock");
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const removed: string[] = [];
    let atOnce = 0;
    let most = 0;
    const runtime = await serveCri({
      socketPath,
      images: {},
      runtime: {
        listPodSandbox: () => ({
          items: names.map((id) => ({ id, metadata: { name: id, namespace: "demo", uid: id, attempt: 0 } })),
        }),
        listContainers: () => ({ containers: [] }),
        async stopPodSandbox() {
          most = Math.max(most, ++atOnce);
          await new Promise((resolve) => setTimeout(resolve, 2));
          return {};
        },
        removePodSandbox: ({ podSandboxId }) => {
          atOnce--;
          removed.push(podSandboxId);
          return {};
        },
      },
    });
    const { pid } = spawn("sleep", ["30"], { stdio: "ignore" });
    if (pid === undefined) throw new Error("the test has no process");
    try {
      const state = readState(stateFile);
      if (state === undefined) throw new Error("the test has no cluster");
      const nodes = state.nodes.map((node) => ({ ...node, endpoint: `unix://${socketPath}` }));
      const processes = [{ name: "containerd-node-1", pid, startTicks: startTicksOf(pid) }];
      writeState(stateFile, { ...state, nodes, processes });
      await down({ dataDir, purge: true }, () => undefined);
      expect(removed.toSorted()).toEqual(names.toSorted());
      expect(most).toBeLessThan(10);
    } finally {
      await runtime.close();
      if (startTicksOf(pid) !== undefined) process.kill(pid, "SIGKILL");
    }
  });

  test("empties a data folder that is a link, and leaves the link", async () => {
    leaveCluster();
    const link = join(dir, "link");
    symlinkSync(dataDir, link);
    await down({ dataDir: link, purge: true }, () => undefined);
    expect([existsSync(dataDir), readlinkSync(link), readdirSync(host)]).toEqual([false, dataDir, ["file"]]);
  });

  test("what others put or mounted into the data folder stays", async () => {
    leaveCluster();
    mkdirSync(join(dataDir, "notes"));
    mkdirSync(join(dataDir, "disk"));
    execFileSync("mount", ["--bind", host, join(dataDir, "disk")]);
    await down({ dataDir, purge: true }, () => undefined);
    expect([readdirSync(dataDir).sort(), readdirSync(join(dataDir, "disk"))]).toEqual([["disk", "notes"], ["file"]]);
  });

  test("a folder of the cluster that is a mount is reported before anything is deleted", async () => {
    leaveCluster();
    const { embeddedStore, pki } = layout(dataDir);
    mkdirSync(embeddedStore);
    execFileSync("mount", ["--bind", host, embeddedStore]);
    await expect(down({ dataDir, purge: true }, () => undefined)).rejects.toThrow(/still mounted below it: ".*store"/);
    expect([existsSync(pki), readdirSync(host)]).toEqual([true, ["file"]]);
  });

  test("a damaged state file does not keep the folder from being deleted", async () => {
    leaveCluster();
    writeFileSync(layout(dataDir).stateFile, "{");
    await expect(down({ dataDir, purge: false }, () => undefined)).rejects.toThrow(/not valid JSON/);
    await down({ dataDir, purge: true }, () => undefined);
    expect([readFileSync(join(host, "file"), "utf8"), existsSync(dataDir)]).toEqual(["precious", false]);
  });

  test("a data folder that is a file system of its own is emptied", async () => {
    mkdirSync(dataDir);
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", dataDir]);
    leaveCluster();
    await down({ dataDir, purge: true }, () => undefined);
    expect([readFileSync(join(host, "file"), "utf8"), readdirSync(dataDir)]).toEqual(["precious", []]);
  });
});
