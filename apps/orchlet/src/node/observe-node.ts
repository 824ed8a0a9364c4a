import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import { messageOf } from "@orchernetes/kernel";
import { type NetworkState, networkErrorOf } from "../runtime/network-state.ts";
import type { NodeHealth } from "./conditions.ts";
import type { NodeDevices, NodeObservation } from "./node-object.ts";

/** The runtime's version, and the reasons why it cannot run pods. The messages are the original's. */
async function observeRuntime(
  cri: CriClient,
  network: Pick<NetworkState, "note">,
): Promise<{ readonly version: string; readonly errors: readonly string[] }> {
  try {
    const [{ runtimeName, runtimeVersion }, { status }] = await Promise.all([
      cri.runtime.version({}),
      cri.runtime.status({}),
    ]);
    const conditions = status?.conditions ?? [];
    const networkError = networkErrorOf(conditions);
    network.note(networkError);
    const errors = conditions.flatMap(({ type, status: isMet, reason, message }) => {
      if (isMet) return [];
      if (type === "NetworkReady") return networkError ?? [];
      return `container runtime status check failed: ${type}=false reason:${reason} message:${message}`;
    });
    return { version: `${runtimeName}://${runtimeVersion.replace(/^v/, "").replace(/[~+].*$/, "")}`, errors };
  } catch (error) {
    return { version: "", errors: [`container runtime is down: ${messageOf(error)}`] };
  }
}

/**
 * The images on the node, largest first: the scheduler prefers nodes that have a pod's images.
 *
 * @param most maximum number of images; −1 for all
 */
async function nodeImages(cri: CriClient, most: number): Promise<readonly core.ContainerImage[]> {
  if (most === 0) return [];
  const { images } = await cri.images.listImages({});
  const all = images
    .map(({ repoTags, repoDigests, size }) => ({ names: [...repoDigests, ...repoTags].slice(0, 5), sizeBytes: size }))
    .filter(({ names }) => names.length > 0)
    .sort((a, b) => b.sizeBytes - a.sizeBytes);
  return most === -1 ? all : all.slice(0, most);
}

/** Collects the changing properties of the node. Never rejects: an unavailable runtime makes the node not ready. */
export async function observeNode(options: {
  readonly cri: CriClient;
  /** Is told whether the network works. */
  readonly network: Pick<NetworkState, "note">;
  readonly pressure: () => NodeHealth["pressure"];
  readonly maxImages: number;
  readonly errors: () => readonly string[];
  readonly devices: () => NodeDevices;
  /** Undefined while it is not known which volumes are in use. */
  readonly volumesInUse: () => readonly string[] | undefined;
}): Promise<NodeObservation> {
  const runtime = await observeRuntime(options.cri, options.network);
  const images = runtime.version === "" ? [] : await nodeImages(options.cri, options.maxImages).catch(() => []);
  return {
    health: { errors: [...runtime.errors, ...options.errors()], pressure: options.pressure() },
    runtimeVersion: runtime.version,
    images,
    devices: options.devices(),
    volumesInUse: options.volumesInUse(),
  };
}
