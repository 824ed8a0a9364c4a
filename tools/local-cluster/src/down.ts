import { rmSync } from "node:fs";
import { type CriClient, createCriClient } from "@orchernetes/cri";
import { releaseShims } from "@orchernetes/cri/containerd";
import { removeCgroups, requireOwn } from "@orchernetes/host";
import { messageOf } from "@orchernetes/kernel";
import { Cluster } from "./cluster.ts";
import { cgroupRoot } from "./daemon-commands.ts";
import { type Layout, layout } from "./layout.ts";
import type { DownOptions } from "./options.ts";
import { isRunning, stop } from "./processes.ts";
import { removeRules } from "./proxy-config.ts";
import { isOfCluster, purge, unmountAll } from "./purge.ts";
import { releaseHost, removeGivenUpTasks, runtimeName, startRuntime } from "./runtimes.ts";
import type { NodeState } from "./state.ts";
import { createSteps } from "./steps.ts";

/** The sandboxes of a node, and what kept some of them from being removed. */
interface RemovedPods {
  readonly ids: readonly string[];
  readonly problems: readonly string[];
}

/** Pods that are removed at a time: a runtime that is asked for a hundred at once does not finish one within the limit of a call. */
const REMOVED_AT_ONCE = 8;

/** Stops and removes every pod of the node's runtime. One that cannot be removed does not keep the others. */
async function removePods(node: NodeState): Promise<RemovedPods> {
  const cri = createCriClient({ endpoint: node.endpoint, timeoutMs: 20_000 });
  try {
    const { items } = await cri.runtime.listPodSandbox({});
    const left = [...items];
    const problems: string[] = [];
    const removeNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        try {
          await removePod(cri, next.id);
        } catch (error) {
          problems.push(`pod ${next.metadata?.namespace}/${next.metadata?.name} of ${node.name}: ${messageOf(error)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, removeNext));
    return { ids: items.map(({ id }) => id), problems };
  } finally {
    cri.close();
  }
}

async function removePod({ runtime }: CriClient, podSandboxId: string): Promise<void> {
  const { containers } = await runtime.listContainers({ filter: { podSandboxId } });
  await Promise.all(
    containers.map(({ id }) => runtime.stopContainer({ containerId: id, timeout: 1 }).catch(() => undefined)),
  );
  await runtime.stopPodSandbox({ podSandboxId });
  await runtime.removePodSandbox({ podSandboxId });
}

/**
 * Ensures that the node's runtime is running: a crashed one leaves containers, which only a runtime can remove.
 * @returns whether it runs
 */
async function reviveRuntime(cluster: Cluster, node: NodeState, write: (text: string) => void): Promise<boolean> {
  const name = runtimeName(node);
  if (cluster.isRunning(name)) return true;
  if (cluster.process(name) === undefined) return false;
  try {
    await startRuntime(cluster, node);
    return true;
  } catch (error) {
    write(`   ${name} cannot be started to remove its pods: ${messageOf(error)}\n`);
    return false;
  }
}

/**
 * Stops what `up` started, and nothing else: agents first, then pods and runtimes, then the control plane, then the store. In this order
 * nothing restarts a pod that was stopped, and no daemon reports errors because its server is gone.
 *
 * @throws Error that names pods that cannot be removed, when everything else has stopped; `down` may then be called again
 */
export async function down(options: DownOptions, write: (text: string) => void): Promise<void> {
  const files = layout(options.dataDir);
  // The state file names processes to end, and mounts and bridges to remove: another user could have named any of this host.
  for (const path of [files.dataDir, files.stateFile]) requireOwn(path);
  const step = createSteps(write);
  const purgeAll = () =>
    step(
      `files of the cluster in ${options.dataDir} deleted`,
      () => purge(files),
      (gone) => (gone ? "" : "the directory contains other files and is kept"),
    );
  const cluster = openCluster(files, options, write);
  if (cluster === undefined) {
    write(`There is no cluster in ${options.dataDir}.\n`);
    if (options.purge && isOfCluster(files)) await purgeAll();
    return;
  }
  const stopAll = async (matches: (name: string) => boolean) => {
    const chosen = cluster.state.processes.filter((p) => matches(p.name) && isRunning(p));
    if (chosen.length === 0) return;
    await step(`${chosen.map((p) => p.name).join(", ")} stopped`, () =>
      Promise.all(chosen.map((p) => stop(p, 15_000))),
    );
  };
  const isRuntime = (name: string) => name.startsWith("containerd-") || name.startsWith("process-runtime-");
  await stopAll((name) => name === "metrics-server" || name.startsWith("orchlet-"));
  await stopAll((name) => name.startsWith("orch-proxy-"));
  for (const node of cluster.state.nodes) await removeRules(files, node, write);
  const sandboxes = new Map<NodeState, readonly string[]>();
  const problems: string[] = [];
  for (const node of cluster.state.nodes) {
    if (!(await reviveRuntime(cluster, node, write))) continue;
    const removed = await step(
      `pods of ${node.name} removed`,
      () => removePods(node),
      ({ ids, problems: left }) => String(ids.length - left.length),
    );
    sandboxes.set(node, removed.ids);
    problems.push(...removed.problems);
    await removeGivenUpTasks(cluster, node).catch((error: unknown) =>
      write(`   Shims of ${node.name} may be left: ${messageOf(error)}\n`),
    );
  }
  await stopAll(isRuntime);
  for (const node of cluster.state.nodes) {
    await releaseHost(cluster, node);
    if (node.runtime === "containerd")
      await releaseShims(node.endpoint.slice("unix://".length), sandboxes.get(node) ?? []);
    for (const group of await removeCgroups(cgroupRoot(node)))
      write(`   The control group ${group} is still in use.\n`);
  }
  await stopAll((name) => name === "orch-scheduler" || name === "orch-controller-manager");
  await stopAll((name) => name === "orch-apiserver");
  await stopAll((name) => name === "etcd");
  if (problems.length > 0)
    throw new Error(
      `Everything has stopped, but pods could not be removed; \`npm run down\` tries again. ${problems.join("; ")}`,
    );
  await unmountAll(files);
  rmSync(files.stateFile, { force: true });
  if (options.purge) await purgeAll();
}

/** The cluster in the folder. A cluster with a damaged state file can still be deleted. */
function openCluster(files: Layout, options: DownOptions, write: (text: string) => void): Cluster | undefined {
  try {
    return Cluster.open(files);
  } catch (error) {
    if (!options.purge) throw error;
    write(`${messageOf(error)}\nWhat still runs of it is not stopped.\n`);
    return undefined;
  }
}
