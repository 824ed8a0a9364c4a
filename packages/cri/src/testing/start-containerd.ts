import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unmountAndRemove } from "@orchernetes/host";
import { createCriClient } from "../client/create-cri-client.ts";
import { releaseContainerdHost, startContainerdProcess } from "../containerd/containerd-process.ts";
import { probeContainerHost } from "../containerd/probe-container-host.ts";
import { buildBusyboxImage, buildPauseImage, findBusybox } from "../images/busybox-images.ts";
import { ensureImage } from "../images/import-image.ts";

/** The options of a containerd for tests. */
export interface StartContainerdOptions {
  /** Folder for its data; `stop()` deletes it. @default a new temporary folder */
  readonly dir?: string;
  /**
   * Pod network. @default a random /24 in 10.200.0.0/13, with a bridge named after it, so that tests can run in
   * parallel
   */
  readonly cni?: { readonly subnet: string; readonly bridge: string };
  /** Addresses of the pods of all nodes. @default those of this node's pods */
  readonly clusterCidr?: string;
}

/** A real containerd for tests, with `localhost/pause:1` and `localhost/busybox:1` imported. */
export interface TestContainerd {
  /** For a CRI client: `unix:///…`. */
  readonly endpoint: string;
  readonly socket: string;
  readonly dir: string;
  readonly logFile: string;
  readonly cni: { readonly subnet: string; readonly bridge: string };
  readonly pid: number;
  /** Kills containerd, keeps the containers, and starts it again with the same data. @default SIGKILL */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Removes all sandboxes, terminates containerd, unmounts and deletes everything. Idempotent. */
  stop(): Promise<void>;
}

/** The reason why containerd cannot be started here; undefined if it can. */
export async function containerdUnavailable(): Promise<string | undefined> {
  const { missing } = probeContainerHost(tmpdir());
  const reasons = [...missing, ...((await findBusybox()) === undefined ? ["busybox-static is not installed"] : [])];
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

/** Whether a containerd can be started here. */
export async function containerdAvailable(): Promise<boolean> {
  return (await containerdUnavailable()) === undefined;
}

/**
 * Starts a private containerd, with its own root, state, socket, CNI configuration and bridge. Takes about a second.
 *
 * @throws Error that names what the host lacks
 */
export async function startContainerd(options: StartContainerdOptions = {}): Promise<TestContainerd> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "o8s-ctrd-")));
  const { clusterCidr } = options;
  const cni = { ...(options.cni ?? randomNetwork()), ...(clusterCidr !== undefined && { clusterCidr }) };
  let containerd = await startContainerdProcess({ dir, cni });
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    try {
      await removeSandboxes(containerd.endpoint);
    } finally {
      await containerd.terminate();
      await releaseContainerdHost(dir, cni.bridge);
      await unmountAndRemove(dir);
    }
  }

  try {
    for (const image of [await buildPauseImage(), await buildBusyboxImage()])
      await ensureImage(containerd.socket, image);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    endpoint: containerd.endpoint,
    socket: containerd.socket,
    dir,
    logFile: containerd.logFile,
    cni,
    get pid() {
      return containerd.pid;
    },
    async restart(signal = "SIGKILL") {
      await containerd.terminate(signal);
      containerd = await startContainerdProcess({ dir, cni });
    },
    stop: () => (stopped ??= stop()),
  };
}

/** Stops and removes all sandboxes of a runtime, with their containers. */
export async function removeSandboxes(endpoint: string): Promise<void> {
  const cri = createCriClient({ endpoint, timeoutMs: 60_000 });
  try {
    const { items } = await cri.runtime.listPodSandbox({});
    await Promise.all(
      items.map(async ({ id }) => {
        await cri.runtime.stopPodSandbox({ podSandboxId: id });
        await cri.runtime.removePodSandbox({ podSandboxId: id });
      }),
    );
  } finally {
    cri.close();
  }
}

function randomNetwork(): { subnet: string; bridge: string } {
  const second = 200 + Math.floor(Math.random() * 8);
  const third = Math.floor(Math.random() * 256);
  return { subnet: `10.${second}.${third}.0/24`, bridge: `o8s-t${second}-${third}` };
}
