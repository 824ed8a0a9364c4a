import { existsSync, mkdirSync, rmSync } from "node:fs";
import {
  containerdPaths,
  ensureBridge,
  probeContainerHost,
  releaseContainerdHost,
  removeAbandonedTasks,
  startContainerdProcess,
  tasksPresent,
} from "@orchernetes/cri/containerd";
import { buildBusyboxImage, buildPauseImage, ensureImage, findBusybox } from "@orchernetes/cri/images";
import type { Cluster } from "./cluster.ts";
import { addLocalNetwork, removeLocalNetwork } from "./local-network.ts";
import type { UpOptions } from "./options.ts";
import { startTicksOf } from "./processes.ts";
import { fromSource, type Programs } from "./programs.ts";
import { clusterCidr, type NodeState } from "./state.ts";

/** The runtime to use: that of the option, or containerd where it can run. */
export async function chooseRuntime(
  options: UpOptions,
): Promise<{ readonly runtime: NodeState["runtime"]; readonly why: string }> {
  if (options.runtime === "process") return { runtime: "process", why: "as asked" };
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const { missing } = probeContainerHost(options.dataDir);
  const reasons = [
    ...missing,
    ...((await findBusybox()) === undefined ? ["busybox-static is not installed (Debian package busybox-static)"] : []),
  ];
  if (reasons.length === 0) return { runtime: "containerd", why: "" };
  if (options.runtime === "containerd") throw new Error(`--runtime=containerd: ${reasons.join("; ")}`);
  return { runtime: "process", why: reasons.join("; ") };
}

/** `unix://` address of a node's runtime. */
export function runtimeEndpoint(runtime: NodeState["runtime"], dir: string): string {
  return `unix://${runtime === "containerd" ? containerdPaths(dir).socket : `${dir}/process.sock`}`;
}

/** Name of the process that is the node's runtime. */
export const runtimeName = (node: NodeState): string =>
  `${node.runtime === "containerd" ? "containerd" : "process-runtime"}-${node.name}`;

/** Starts the node's own containerd (or process runtime) unless it runs. */
export async function startRuntime(cluster: Cluster, node: NodeState, programs: Programs = fromSource): Promise<void> {
  const name = runtimeName(node);
  // The agent listens at an address of the bridge, which the network plugin would create only with the first pod.
  if (node.runtime === "containerd") await ensureBridge(node.bridge, node.podCidr);
  if (cluster.isRunning(name)) return;
  const dir = cluster.files.runtime(node.name);
  if (node.runtime === "process") {
    await addLocalNetwork(node.podCidr);
    const socket = node.endpoint.slice("unix://".length);
    // A killed runtime leaves its socket, which would look as if the new one were listening already.
    rmSync(socket, { force: true });
    cluster.start(name, [
      ...programs("process-runtime"),
      `--socket=${socket}`,
      `--root=${dir}`,
      `--pod-subnet=${node.podCidr}`,
    ]);
    await cluster.waitFor(name, "serving its socket", async () => existsSync(socket), 10_000);
    return;
  }
  const { pid } = await startContainerdProcess({
    dir,
    cni: { bridge: node.bridge, subnet: node.podCidr, clusterCidr: clusterCidr(node) },
  });
  cluster.remember({ name, pid, startTicks: startTicksOf(pid) });
}

/**
 * Removes tasks that the node's containerd has given up, as it may when its agent was killed: their shims would outlive it. Its agent must
 * have stopped, and its runtime must be running.
 */
export async function removeGivenUpTasks(cluster: Cluster, node: NodeState): Promise<void> {
  if (node.runtime === "process") return;
  const paths = containerdPaths(cluster.files.runtime(node.name));
  await removeAbandonedTasks(paths, await tasksPresent(paths));
}

/** Imports the demo images into the node's containerd; the process runtime needs none. */
export async function importImages(node: NodeState): Promise<readonly string[]> {
  if (node.runtime === "process") return [];
  const socket = node.endpoint.slice("unix://".length);
  const images = [await buildPauseImage(), await buildBusyboxImage()];
  for (const image of images) await ensureImage(socket, image);
  return ["localhost/pause:1", "localhost/busybox:1"];
}

/** Removes what a stopped containerd left on the host: mounts and its bridge. */
export async function releaseHost(cluster: Cluster, node: NodeState): Promise<void> {
  if (node.runtime === "containerd") await releaseContainerdHost(cluster.files.runtime(node.name), node.bridge);
  else await removeLocalNetwork(node.podCidr);
}
