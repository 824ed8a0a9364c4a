import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createCriClient } from "../src/index.ts";
import { containerdUnavailable, startContainerd } from "../src/testing/index.ts";

const reason = await containerdUnavailable();
const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` };
const call = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: "utf8", env });

interface Network {
  /** Path of its namespace. */
  readonly path: string;
  readonly address: string;
}

/** A node whose pods have nothing but a network. */
async function startNode(clusterCidr?: string) {
  const containerd = await startContainerd(clusterCidr === undefined ? {} : { clusterCidr });
  const { runtime, close } = createCriClient({ endpoint: containerd.endpoint, timeoutMs: 60_000 });
  onTestFinished(async () => {
    close();
    await containerd.stop();
  });
  async function startPod(name: string, hostPort = 0): Promise<Network & { readonly podSandboxId: string }> {
    const portMappings = hostPort === 0 ? [] : [{ protocol: "TCP", containerPort: 80, hostPort } as const];
    const config = { metadata: { name, namespace: "default", uid: name }, portMappings, linux: {} };
    const { podSandboxId } = await runtime.runPodSandbox({ config });
    const { status, info } = await runtime.podSandboxStatus({ podSandboxId, verbose: true });
    const namespaces: readonly { readonly type: string; readonly path: string }[] = JSON.parse(info.info ?? "{}")
      .runtimeSpec.linux.namespaces;
    const path = namespaces.find(({ type }) => type === "network")?.path ?? "";
    return { podSandboxId, path, address: status?.network?.ip ?? "" };
  }
  return { containerd, runtime, startPod };
}

/** A network that is connected to the host, and knows no way to pods. */
async function startWorld(): Promise<Network> {
  const holder = spawn("unshare", ["--net", "sleep", "100"], { stdio: "ignore", env });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const path = `/proc/${holder.pid}/ns/net`;
  await expect.poll(() => readlinkSync(path), { timeout: 20_000 }).not.toBe(readlinkSync("/proc/self/ns/net"));
  const link = `o8s-w-${process.pid}`;
  call("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", String(holder.pid));
  onTestFinished(() => void call("ip", "link", "delete", link));
  const net = `10.254.${process.pid % 256}`;
  call("ip", "address", "add", `${net}.1/30`, "dev", link);
  call("ip", "link", "set", link, "up");
  const inWorld = ["nsenter", `--net=${path}`, "ip"] as const;
  call(...inWorld, "address", "add", `${net}.2/30`, "dev", "eth0");
  call(...inWorld, "link", "set", "eth0", "up");
  return { path, address: `${net}.2` };
}

/** The address that the server of a connection sees of its client. */
async function seenAddress(client: Network, server: Network): Promise<string> {
  const node = (network: Network, script: string) =>
    spawn("nsenter", [`--net=${network.path}`, process.execPath, "-e", script], { env, timeout: 30_000 });
  const listening = node(
    server,
    `net.createServer((c) => c.end(c.remoteAddress)).listen(8080, "0.0.0.0", () => console.log("listening"))`,
  );
  try {
    await once(listening.stdout, "data");
    const calling = node(client, `net.connect(8080, "${server.address}").pipe(process.stdout)`);
    const [seen] = await once(calling.stdout, "data");
    calling.kill();
    return String(seen);
  } finally {
    listening.kill("SIGKILL");
  }
}

const rulesWith = (word: string) =>
  call("iptables-save", "-t", "nat")
    .split("\n")
    .filter((line) => new RegExp(`${word}\\b`).test(line));

test.skipIf(reason !== undefined)(
  "rules of a pod are deleted although the plugins were killed before, when the interface was gone",
  async () => {
    const { runtime, startPod } = await startNode();
    const hostPort = 20_000 + (process.pid % 10_000);
    const { podSandboxId, path } = await startPod("a", hostPort);
    expect(rulesWith(podSandboxId).join("\n")).toContain(`--dports ${hostPort}`);
    call("nsenter", `--net=${path}`, "ip", "link", "delete", "eth0");
    await runtime.stopPodSandbox({ podSandboxId });
    expect(rulesWith(podSandboxId)).toEqual([]);
  },
);

test.skipIf(reason !== undefined)(
  "pods reach the world with the address of their node, and pods of all nodes with their own",
  async () => {
    const [one, two] = await Promise.all([startNode("10.200.0.0/13"), startNode("10.200.0.0/13")]);
    const [a, b, other, world] = [
      await one.startPod("a"),
      await one.startPod("b"),
      await two.startPod("other"),
      await startWorld(),
    ];
    expect(await seenAddress(a, world)).toBe(world.address.replace(/2$/, "1"));
    expect(await seenAddress(a, b)).toBe(a.address);
    expect(await seenAddress(a, other)).toBe(a.address);
    const { bridge } = one.containerd.cni;
    // Once for the node, not for each pod, also after its containerd has started again.
    await one.containerd.restart();
    expect(rulesWith(bridge)).toHaveLength(1);
    await one.containerd.stop();
    expect(rulesWith(bridge)).toEqual([]);
    expect(rulesWith(two.containerd.cni.bridge)).toHaveLength(1);
  },
);
