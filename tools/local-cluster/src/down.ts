import { existsSync, rmSync } from "node:fs";
import { createCriClient } from "@orchernetes/cri";
import { removeCgroups } from "./cgroups.ts";
import { Cluster } from "./cluster.ts";
import { cgroupRoot } from "./daemon-commands.ts";
import { layout } from "./layout.ts";
import type { DownOptions } from "./options.ts";
import { isRunning, stop } from "./processes.ts";
import { releaseHost } from "./runtimes.ts";
import type { NodeState } from "./state.ts";
import { createSteps } from "./steps.ts";

/** Stops and removes every pod of the node's runtime. */
async function removePods(node: NodeState): Promise<number> {
  const cri = createCriClient({ endpoint: node.endpoint, timeoutMs: 20_000 });
  try {
    const { items } = await cri.runtime.listPodSandbox({});
    await Promise.all(
      items.map(async ({ id }) => {
        const { containers } = await cri.runtime.listContainers({ filter: { podSandboxId: id } });
        await Promise.all(
          containers.map((c) => cri.runtime.stopContainer({ containerId: c.id, timeout: 1 }).catch(() => undefined)),
        );
        await cri.runtime.stopPodSandbox({ podSandboxId: id });
        await cri.runtime.removePodSandbox({ podSandboxId: id });
      }),
    );
    return items.length;
  } finally {
    cri.close();
  }
}

/** Stops what `up` started, and nothing else: agents first, then pods and runtimes, then the control plane, then the store. */
export async function down(options: DownOptions, write: (text: string) => void): Promise<void> {
  const files = layout(options.dataDir);
  const cluster = Cluster.open(files);
  const step = createSteps(write);
  if (cluster === undefined) {
    write(`There is no cluster in ${options.dataDir}.\n`);
    if (options.purge && existsSync(files.pki)) rmSync(options.dataDir, { recursive: true, force: true });
    return;
  }
  const processes = cluster.state.processes;
  const stopAll = async (matches: (name: string) => boolean) => {
    const chosen = processes.filter((p) => matches(p.name) && isRunning(p));
    if (chosen.length === 0) return;
    await step(`${chosen.map((p) => p.name).join(", ")} stopped`, () =>
      Promise.all(chosen.map((p) => stop(p, 15_000))),
    );
  };
  const isRuntime = (name: string) => name.startsWith("containerd-") || name.startsWith("process-runtime-");
  await stopAll((name) => name.startsWith("orchlet-"));
  for (const node of cluster.state.nodes) {
    if (!processes.some((p) => isRuntime(p.name) && p.name.endsWith(node.name) && isRunning(p))) continue;
    await step(
      `pods of ${node.name} removed`,
      () => removePods(node),
      (count) => String(count),
    );
  }
  await stopAll(isRuntime);
  for (const node of cluster.state.nodes) {
    await releaseHost(cluster, node);
    removeCgroups(cgroupRoot(node));
  }
  await stopAll((name) => name === "orch-scheduler" || name === "orch-controller-manager");
  await stopAll((name) => name === "orch-apiserver");
  await stopAll((name) => name === "etcd");
  rmSync(files.stateFile, { force: true });
  if (options.purge)
    await step(`${options.dataDir} deleted`, () => rmSync(options.dataDir, { recursive: true, force: true }));
}
