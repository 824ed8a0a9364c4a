import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createCriClient } from "@orchernetes/cri";
import { mountsBelow } from "@orchernetes/host";
import type { HostState } from "./host-state.ts";
import type { NodePlaces } from "./node-places.ts";

const run = promisify(execFile);
const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` };
const cgroupMount = "/sys/fs/cgroup";
/** Where the library of the network plugins keeps their results. */
const cniResults = "/var/lib/cni/results";
/** Output of a command that lists everything of a node. */
const maxBuffer = 64 * 1024 * 1024;

/** Reads everything that the pods of a node have on the host. Runtime and host are asked at different times. @throws Error when the runtime does not answer */
export async function readHostState(places: NodePlaces): Promise<HostState> {
  const { root, runtime, bridge } = places;
  const kinds: Readonly<Record<string, Promise<readonly string[]>>> = {
    ...fromRuntime(places),
    // Those of tmpfs and of network namespaces are among them.
    mount: mountsBelow(root),
    "network interface": entries(`/sys/class/net/${bridge}/brif`),
    "control group": controlGroups(places),
    "folder of a pod": entries(join(root, "pods")),
    "folder of logs": entries(join(root, "pod-logs")),
    "pod address": addresses(places),
    "result of a network plugin": entries(cniResults).then((all) =>
      all.filter((name) => name.startsWith(`${bridge}-`)),
    ),
    "rule of addresses": natRules(bridge),
    "shim process": shims(places),
    "file of a network namespace": entries(join(runtime, "state/io.containerd.grpc.v1.cri/netns")),
    "state of a task": entries(join(runtime, "state/io.containerd.runtime.v2.task/k8s.io")),
    "state of runc": entries(join(runtime, "state/runc/k8s.io")),
    "data of a sandbox": entries(join(runtime, "root/io.containerd.grpc.v1.cri/sandboxes")),
    "data of a container": entries(join(runtime, "root/io.containerd.grpc.v1.cri/containers")),
  };
  return new Map(await Promise.all(Object.entries(kinds).map(async ([kind, names]) => [kind, await names] as const)));
}

/** What the runtime says that it has, by CRI and by its own interface. */
function fromRuntime({ socket }: NodePlaces): Readonly<Record<string, Promise<readonly string[]>>> {
  const cri = createCriClient({ endpoint: `unix://${socket}`, timeoutMs: 60_000 });
  const ctr = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await run("ctr", ["--address", socket, "--namespace", "k8s.io", ...args], { env, maxBuffer });
    return stdout.split("\n").filter((line) => line !== "");
  };
  const sandboxes = cri.runtime.listPodSandbox({});
  const containers = cri.runtime.listContainers({});
  void Promise.allSettled([sandboxes, containers]).then(() => cri.close());
  return {
    sandbox: sandboxes.then(({ items }) => items.map(({ id, metadata }) => `${id} of ${metadata?.name}`)),
    container: containers.then((list) => list.containers.map(({ id, state }) => `${id} (${state})`)),
    "container of containerd": ctr("containers", "list", "--quiet"),
    "task of containerd": ctr("tasks", "list", "--quiet"),
    // A committed snapshot is a layer of an image.
    snapshot: ctr("snapshots", "list").then((lines) =>
      lines.filter((line) => line.trim().endsWith("Active")).map((line) => line.split(/\s+/)[0] ?? ""),
    ),
  };
}

const entries = async (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** The groups of the node in every hierarchy. */
async function controlGroups({ cgroup }: NodePlaces): Promise<readonly string[]> {
  const roots = [cgroupMount, ...(await entries(cgroupMount)).map((name) => join(cgroupMount, name))];
  const below = async (folder: string): Promise<readonly string[]> => {
    const inner = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const folders = inner.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
    return [...folders, ...(await Promise.all(folders.map(below))).flat()];
  };
  return (await Promise.all(roots.map((root) => below(join(root, cgroup))))).flat();
}

/** The addresses that the network plugin has given to sandboxes. */
async function addresses({ runtime, bridge }: NodePlaces): Promise<readonly string[]> {
  const files = await entries(join(runtime, "cni-data", bridge));
  return files.filter((name) => /^[\d.]+$/.test(name));
}

async function natRules(bridge: string): Promise<readonly string[]> {
  if (!existsSync("/usr/sbin/iptables-save")) return [];
  const { stdout } = await run("iptables-save", ["-t", "nat"], { env, maxBuffer });
  // Those of its sandboxes, and its own.
  return stdout.split("\n").filter((line) => line.includes(bridge));
}

/** Processes that keep the containers of a sandbox while the runtime is away. */
async function shims({ socket }: NodePlaces): Promise<readonly string[]> {
  const pids = (await entries("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const args = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
      const isOurs = args[0]?.includes("containerd-shim") === true && args.includes(socket);
      return isOurs ? [args[args.indexOf("-id") + 1] ?? pid] : [];
    }),
  );
  return found.flat();
}
