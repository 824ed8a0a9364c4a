import { createCriClient } from "../client/create-cri-client.ts";

/** Where a runtime serves: `unix://…`. */
export interface RuntimeAddress {
  readonly endpoint: string;
}

/** A container that runs on a node, with the pod it belongs to. */
export interface RunningContainer {
  readonly id: string;
  readonly name: string;
  readonly podUid: string;
  readonly podName: string;
  readonly namespace: string;
}

/** What a runtime says is running. @throws CriError */
export async function runningContainers({ endpoint }: RuntimeAddress): Promise<readonly RunningContainer[]> {
  const cri = createCriClient({ endpoint, timeoutMs: 60_000 });
  try {
    const [{ items }, { containers }] = await Promise.all([
      cri.runtime.listPodSandbox({}),
      cri.runtime.listContainers({ filter: { state: { state: "CONTAINER_RUNNING" } } }),
    ]);
    const sandboxes = new Map(items.map((sandbox) => [sandbox.id, sandbox.metadata]));
    return containers.map(({ id, podSandboxId, metadata }) => {
      const pod = sandboxes.get(podSandboxId);
      return {
        id,
        name: metadata?.name ?? "",
        podUid: pod?.uid ?? podSandboxId,
        podName: pod?.name ?? "",
        namespace: pod?.namespace ?? "",
      };
    });
  } finally {
    cri.close();
  }
}

/** Containers of the same name that run more than once in a pod: there must be none, ever. */
export function runningTwice(containers: readonly RunningContainer[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { podUid, podName, name } of containers) {
    const key = `${podName}/${name} (${podUid})`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([key, count]) => `${count}× ${key}`);
}
