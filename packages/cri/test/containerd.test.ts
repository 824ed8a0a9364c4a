import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCriClient } from "../src/index.ts";
import { containerdUnavailable, startContainerd } from "../src/testing/index.ts";
import { describeRuntime } from "./runtime-contract.ts";

const reason = await containerdUnavailable();
if (reason !== undefined) console.warn(`containerd tests are skipped: ${reason}`);

describeRuntime("containerd", startContainerd, reason);

test.skipIf(reason !== undefined)("containerd keeps the network namespaces of pods in its own folder", async () => {
  const containerd = await startContainerd();
  const cri = createCriClient({ endpoint: containerd.endpoint, timeoutMs: 60_000 });
  onTestFinished(async () => {
    cri.close();
    await containerd.stop();
  });
  const config = { metadata: { name: "a", namespace: "default", uid: "a" }, linux: {} };
  const { podSandboxId } = await cri.runtime.runPodSandbox({ config });
  const { info } = await cri.runtime.podSandboxStatus({ podSandboxId, verbose: true });
  const { runtimeSpec } = JSON.parse(info.info ?? "{}");
  const namespaces: readonly { readonly type: string; readonly path?: string }[] = runtimeSpec.linux.namespaces;
  const network = namespaces.find(({ type }) => type === "network");
  // In /run/netns, where the programs of a host keep theirs, the first of these could make it impossible to remove.
  expect(network?.path).toMatch(new RegExp(`^${containerd.dir}/state/`));
});

test.skipIf(reason !== undefined)(
  "what containerd has begun before it was killed, and does not know later, ends",
  async () => {
    const containerd = await startContainerd();
    const cri = createCriClient({ endpoint: containerd.endpoint, timeoutMs: 60_000 });
    onTestFinished(async () => {
      cri.close();
      await containerd.stop();
    });
    const start = async (name: string): Promise<string> => {
      const config = { metadata: { name, namespace: "default", uid: name }, linux: {} };
      return (await cri.runtime.runPodSandbox({ config })).podSandboxId;
    };
    const [kept, begun] = [await start("kept"), await start("begun")];
    const tasks = join(containerd.dir, "state/io.containerd.runtime.v2.task/k8s.io");
    const processesOf = (id: string) =>
      readdirSync("/proc").filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(id);
        } catch {
          return false;
        }
      });
    expect([processesOf(kept).length, processesOf(begun).length]).toEqual([1, 1]);
    // The file is written when the shim has started.
    rmSync(join(tasks, begun, "address"));
    await containerd.restart();
    await expect.poll(() => [processesOf(kept).length, processesOf(begun).length]).toEqual([1, 0]);
    expect(readdirSync(tasks)).toEqual([kept]);
    expect(readdirSync(join(containerd.dir, "state/runc/k8s.io"))).toEqual([kept]);
    await cri.runtime.removePodSandbox({ podSandboxId: begun });
    const { items } = await cri.runtime.listPodSandbox({});
    expect(items.map(({ id, state }) => [id, state])).toEqual([[kept, "SANDBOX_READY"]]);
  },
);

test.skipIf(reason !== undefined)("what a call keeps that containerd was killed in is kept no longer", async () => {
  const containerd = await startContainerd();
  onTestFinished(() => containerd.stop());
  const leases = (...args: readonly string[]) =>
    execFileSync("ctr", ["--address", containerd.socket, "--namespace", "k8s.io", "leases", ...args], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` },
    });
  leases("create", "--id", "left");
  expect(leases("list")).toContain("left");
  // Leases tell the second of their creation.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await containerd.restart();
  expect(leases("list")).not.toContain("left");
});
