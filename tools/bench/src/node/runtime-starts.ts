import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createCriClient } from "@orchernetes/cri";

/** What the runtime alone is asked for. */
export interface RuntimeStarts {
  /** `unix://` address of the runtime. */
  readonly endpoint: string;
  /** Folder for logs of the containers. */
  readonly logs: string;
  readonly pods: number;
  /** How many pods are started at a time. */
  readonly parallel: number;
}

/**
 * Starts pods of one container by calls to the runtime, without an agent, and removes them again.
 *
 * @returns seconds from the beginning until each ran, in ascending order
 */
export async function startInRuntime({ endpoint, logs, pods, parallel }: RuntimeStarts): Promise<readonly number[]> {
  const cri = createCriClient({ endpoint, timeoutMs: 240_000 });
  const sandboxes: string[] = [];
  const inTurn = async (jobs: number, job: (index: number) => Promise<void>): Promise<void> => {
    let next = 0;
    await Promise.all(
      Array.from({ length: parallel }, async () => {
        while (next < jobs) await job(next++);
      }),
    );
  };
  const begun = performance.now();
  const times: number[] = [];
  const start = async (index: number): Promise<void> => {
    const name = `direct-${index}`;
    const logDirectory = join(logs, name);
    await mkdir(logDirectory, { recursive: true });
    const sandboxConfig = {
      metadata: { name, namespace: "direct", uid: name, attempt: 0 },
      hostname: name,
      logDirectory,
      linux: { securityContext: { seccomp: { profileType: "RuntimeDefault" as const } } },
    };
    const { podSandboxId } = await cri.runtime.runPodSandbox({ config: sandboxConfig });
    sandboxes.push(podSandboxId);
    const { containerId } = await cri.runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name: "main", attempt: 0 },
        image: { image: "localhost/busybox:1" },
        command: ["sleep", "3600"],
        logPath: "main.log",
      },
    });
    await cri.runtime.startContainer({ containerId });
    times.push((performance.now() - begun) / 1000);
  };
  try {
    await inTurn(pods, start);
    return times;
  } finally {
    await inTurn(sandboxes.length, async (index) => {
      const podSandboxId = sandboxes[index] ?? "";
      await cri.runtime.stopPodSandbox({ podSandboxId });
      await cri.runtime.removePodSandbox({ podSandboxId });
    });
    cri.close();
  }
}
