import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCriClient } from "../src/index.ts";
import { removeSandboxes } from "../src/testing/index.ts";

const main = new URL("../src/process-runtime/main.ts", import.meta.url).pathname;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "o8s-prog-"));
});
afterEach(async () => await rm(dir, { recursive: true, force: true }));

async function startProgram(...extra: string[]) {
  const args = [main, "--socket", join(dir, "cri.sock"), "--root", join(dir, "root"), ...extra];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [line] = await once(child.stdout, "data");
  return { child, line: String(line) };
}

test.skipIf(process.platform !== "linux")(
  "output printed while no runtime runs is kept, after kill -9 of it",
  async () => {
    const first = await startProgram();
    expect(first.line).toBe(`serving CRI v1 on unix://${join(dir, "cri.sock")}\n`);
    const cri = createCriClient({ endpoint: join(dir, "cri.sock"), timeoutMs: 10_000 });
    const config = { metadata: { name: "p", namespace: "d", uid: "u" }, logDirectory: join(dir, "logs") };
    const { podSandboxId } = await cri.runtime.runPodSandbox({ config });
    const command = ["sh", "-c", "echo before; sleep 0.5; echo meanwhile; exit 6"];
    const { containerId } = await cri.runtime.createContainer({
      podSandboxId,
      config: { metadata: { name: "c" }, image: { image: "localhost/busybox:1" }, command, logPath: "0.log" },
    });
    await cri.runtime.startContainer({ containerId });
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    cri.close();
    await new Promise((resolve) => setTimeout(resolve, 700));

    const second = await startProgram();
    const again = createCriClient({ endpoint: join(dir, "cri.sock"), timeoutMs: 10_000 });
    await expect
      .poll(async () => (await again.runtime.containerStatus({ containerId })).status, { timeout: 5000 })
      .toMatchObject({ state: "CONTAINER_EXITED", exitCode: 6 });
    const log = await readFile(join(dir, "logs/0.log"), "utf8");
    expect(log.split("\n").map((line) => line.split(" ").slice(1).join(" "))).toEqual([
      "stdout F before",
      "stdout F meanwhile",
      "",
    ]);
    await removeSandboxes(join(dir, "cri.sock"));
    again.close();
    second.child.kill("SIGTERM");
    expect((await once(second.child, "exit"))[0]).toBe(0);
  },
);

test.skipIf(process.platform !== "linux")(
  "a second runtime on the same folder is refused, and every pod may have an address",
  async () => {
    const { child } = await startProgram("--pod-subnet", "127.66.0.0/24");
    const cri = createCriClient({ endpoint: join(dir, "cri.sock"), timeoutMs: 10_000 });
    const ips = [];
    for (const name of ["a", "b"]) {
      const { podSandboxId } = await cri.runtime.runPodSandbox({
        config: { metadata: { name, namespace: "d", uid: name } },
      });
      ips.push((await cri.runtime.podSandboxStatus({ podSandboxId })).status?.network?.ip);
    }
    expect(ips).toEqual(["127.66.0.1", "127.66.0.2"]);
    cri.close();
    const args = [main, "--socket", join(dir, "other.sock"), "--root", join(dir, "root")];
    const other = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    const [[message], [code]] = await Promise.all([once(other.stderr, "data"), once(other, "exit")]);
    expect([String(message), code]).toEqual([expect.stringMatching(`process ${child.pid} uses it`), 1]);
    child.kill("SIGTERM");
    await once(child, "exit");
  },
);

test.each([
  ["--socket is missing", ["--root", "/x"]],
  ["--root is missing", ["--socket", "/x"]],
  ["Unknown option", ["--nonsense"]],
])("a start is refused: %s", async (message, args) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const [[text], [code]] = await Promise.all([once(child.stderr, "data"), once(child, "exit")]);
  expect([String(text), code]).toEqual([expect.stringContaining(message), 1]);
});
