import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { CriClient } from "@orchernetes/cri";
import { silentLogger } from "@orchernetes/kernel";
import { expect, onTestFinished, test } from "vitest";
import { type HairpinMode, setHairpin, setSandboxHairpin } from "./hairpin.ts";

const env = { PATH: "/usr/sbin:/sbin:/usr/bin:/bin" };
const ip = (...argv: readonly string[]) => execFileSync("ip", argv, { env, stdio: "pipe" });
const [bridge, veth] = [`o8s-h-${process.pid}`, `o8s-v-${process.pid}`];

/** A process with a network and a /sys of its own, which a veth connects with a bridge. */
async function connected(): Promise<number> {
  const pod = spawn("unshare", ["-n", "-m", "sh", "-c", "mount -t sysfs none /sys && echo up && exec sleep 600"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    pod.kill("SIGKILL");
    ip("link", "delete", bridge);
  });
  ip("link", "add", "name", bridge, "type", "bridge");
  await new Promise((resolve) => pod.stdout.once("data", resolve));
  const pid = pod.pid ?? 0;
  ip("link", "add", "name", veth, "master", bridge, "type", "veth", "peer", "name", "eth0", "netns", String(pid));
  return pid;
}

function canConnect(): boolean {
  try {
    execFileSync("unshare", ["-n", "-m", "mount", "-t", "sysfs", "none", "/sys"], { env, stdio: "ignore" });
    ip("link", "add", "name", bridge, "type", "bridge");
    ip("link", "delete", bridge);
    return true;
  } catch {
    return false;
  }
}

const hairpin = () => readFileSync(`/sys/class/net/${veth}/brport/hairpin_mode`, "utf8").trim();
const isPromiscuous = () => (Number(readFileSync(`/sys/class/net/${bridge}/flags`, "utf8")) & 0x100) !== 0;

// shows: hairpinMode
test.runIf(canConnect())(
  "the bridge port and the bridge of a pod are set as hairpin-veth, none and promiscuous-bridge specify",
  async () => {
    const pid = await connected();
    const states = (["hairpin-veth", "promiscuous-bridge", "hairpin-veth", "none"] as const).map((mode) => {
      expect(setHairpin(mode, pid)).toEqual([veth]);
      return [mode, hairpin(), isPromiscuous()];
    });
    expect(states).toEqual([
      ["hairpin-veth", "1", false],
      ["promiscuous-bridge", "0", true],
      ["hairpin-veth", "1", true],
      ["none", "0", true],
    ]);
  },
);

test("a pod that is not connected to a bridge is not changed", () => {
  expect(setHairpin("hairpin-veth", process.pid)).toEqual([]);
});

const runtime = (info: unknown) => ({ runtime: { podSandboxStatus: async () => info } }) as unknown as CriClient;
const logged = async (mode: HairpinMode, info: unknown): Promise<readonly unknown[]> => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (_: string, values?: object) => void warnings.push(values) };
  await setSandboxHairpin(mode, "s", { cri: runtime(info), logger, folders: { proc: "/nowhere", sys: "/nowhere" } });
  return warnings;
};

test.each([
  [{ info: { info: JSON.stringify({ pid: 7 }) } }, undefined],
  [{}, "the runtime does not tell a process of the sandbox"],
  [{ info: { info: "null" } }, "the runtime does not tell a process of the sandbox"],
  [{ info: { info: JSON.stringify({ pid: "../1" }) } }, "the runtime does not tell a process of the sandbox"],
  [{ info: { info: "<html>" } }, expect.stringContaining("not valid JSON")],
])("if the runtime reports %j about a sandbox, its pod runs nevertheless", async (info, error) => {
  expect(await logged("none", info)).toEqual(
    error === undefined ? [] : [expect.objectContaining({ mode: "none", sandbox: "s", error })],
  );
  expect(existsSync("/nowhere")).toBe(false);
});
