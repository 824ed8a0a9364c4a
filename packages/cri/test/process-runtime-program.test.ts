import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
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
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // A test that fails must not leave it: it holds the output of the whole run open.
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the program ended with exit code ${code}`);
  });
  const [line] = await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => undefined);
  return { child, line: String(line) };
}

const patient = { timeout: 60_000 };

test.skipIf(process.platform !== "linux")(
  "output printed while no runtime runs is kept, after kill -9 of it",
  async () => {
    const first = await startProgram();
    expect(first.line).toBe(`serving CRI v1 on unix://${join(dir, "cri.sock")}\n`);
    const cri = createCriClient({ endpoint: join(dir, "cri.sock"), timeoutMs: 60_000 });
    const config = { metadata: { name: "p", namespace: "d", uid: "u" }, logDirectory: join(dir, "logs") };
    const { podSandboxId } = await cri.runtime.runPodSandbox({ config });
    const [gate, printed] = [join(dir, "gate"), join(dir, "printed")];
    const script = `echo before; until [ -e ${gate} ]; do sleep 0.05; done; echo meanwhile; touch ${printed}; exit 6`;
    const command = ["sh", "-c", script];
    const { containerId } = await cri.runtime.createContainer({
      podSandboxId,
      config: { metadata: { name: "c" }, image: { image: "localhost/busybox:1" }, command, logPath: "0.log" },
    });
    await cri.runtime.startContainer({ containerId });
    const log = () => readFile(join(dir, "logs/0.log"), "utf8");
    // What a runtime has read and not yet written dies with it; what this is about comes afterwards.
    await expect.poll(log, patient).toMatch(/ before\n/);
    const killed = once(first.child, "exit");
    first.child.kill("SIGKILL");
    await killed;
    cri.close();
    await writeFile(gate, "");
    await expect.poll(() => existsSync(printed), patient).toBe(true);

    const second = await startProgram();
    const again = createCriClient({ endpoint: join(dir, "cri.sock"), timeoutMs: 60_000 });
    await expect
      .poll(async () => (await again.runtime.containerStatus({ containerId })).status, patient)
      .toMatchObject({ state: "CONTAINER_EXITED", exitCode: 6 });
    expect((await log()).split("\n").map((line) => line.split(" ").slice(1).join(" "))).toEqual([
      "stdout F before",
      "stdout F meanwhile",
      "",
    ]);
    await removeSandboxes(join(dir, "cri.sock"));
    again.close();
    const ended = once(second.child, "exit");
    second.child.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
  },
);

test.skipIf(process.platform !== "linux")(
  "a second runtime on the same folder is rejected, and every pod may have an address",
  async () => {
    const { child } = await startProgram("--pod-subnet", "127.66.0.0/24");
    const cri = createCriClient({ endpoint: join(dir, "cri.sock"), timeoutMs: 60_000 });
    const ips = [];
    for (const name of ["a", "b"]) {
      const { podSandboxId } = await cri.runtime.runPodSandbox({
        config: { metadata: { name, namespace: "d", uid: name } },
      });
      ips.push((await cri.runtime.podSandboxStatus({ podSandboxId })).status?.network?.ip);
    }
    expect(ips).toEqual(["127.66.0.2", "127.66.0.3"]);
    cri.close();
    const args = [main, "--socket", join(dir, "other.sock"), "--root", join(dir, "root")];
    const other = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    const [[message], [code]] = await Promise.all([once(other.stderr, "data"), once(other, "exit")]);
    expect([String(message), code]).toEqual([expect.stringMatching(`process ${child.pid} is using it`), 1]);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  },
);

test.each([
  ["--socket is missing", ["--root", "/x"]],
  ["--root is missing", ["--socket", "/x"]],
  ["Unknown option", ["--nonsense"]],
])("a start is rejected: %s", async (message, args) => {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const [[text], [code]] = await Promise.all([once(child.stderr, "data"), once(child, "exit")]);
  expect([String(text), code]).toEqual([expect.stringContaining(message), 1]);
});
