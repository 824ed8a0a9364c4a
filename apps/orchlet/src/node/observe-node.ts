import type { core } from "@orchernetes/api";
import type { CriClient } from "@orchernetes/cri";
import type { Clock } from "@orchernetes/kernel";
import { type NetworkState, networkErrorOf } from "../runtime/network-state.ts";
import type { NodeHealth } from "./conditions.ts";
import type { NodeDevices, NodeObservation } from "./node-object.ts";

/** How long the node stays ready without a runtime that is, in milliseconds: it may be restarted. As in the original. */
const downMs = 30_000;

/** When the runtime has last answered that it is ready. */
export class RuntimeContact {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #readyAtMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Notes that the runtime is ready. */
  note(): void {
    this.#readyAtMs = this.#clock.monotonicMs();
  }

  /** Why the node is not ready; empty while the last answer is recent. */
  errors(): readonly string[] {
    if (this.#readyAtMs === undefined) return ["container runtime status check may not have completed yet"];
    return this.#clock.monotonicMs() - this.#readyAtMs < downMs ? [] : ["container runtime is down"];
  }
}

/** The runtime's version, and the reasons why it cannot run pods. The messages are the original's. */
async function observeRuntime({ cri, network, contact }: Pick<NodeSources, "cri" | "network" | "contact">): Promise<{
  readonly version: string;
  readonly errors: readonly string[];
}> {
  try {
    const [{ runtimeName, runtimeVersion }, { status }] = await Promise.all([
      cri.runtime.version({}),
      cri.runtime.status({}),
    ]);
    const conditions = status?.conditions ?? [];
    const networkError = networkErrorOf(conditions);
    network.note(networkError);
    const failed = conditions.find(({ type, status: isMet }) => type === "RuntimeReady" && !isMet);
    if (failed === undefined) contact.note();
    const errors = [
      ...(failed === undefined
        ? []
        : [`container runtime not ready: RuntimeReady=false reason:${failed.reason} message:${failed.message}`]),
      ...contact.errors(),
      ...(networkError === undefined ? [] : [networkError]),
    ];
    return { version: `${runtimeName}://${runtimeVersion.replace(/^v/, "").replace(/[~+].*$/, "")}`, errors };
  } catch {
    return { version: "", errors: contact.errors() };
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

/** What the node is observed with. */
interface NodeSources {
  readonly cri: CriClient;
  /** Is told whether the network works. */
  readonly network: Pick<NetworkState, "note">;
  readonly contact: RuntimeContact;
  /** Whether the host has AppArmor. */
  readonly hasAppArmor: boolean;
  readonly pressure: () => NodeHealth["pressure"];
  readonly maxImages: number;
  readonly errors: () => readonly string[];
  readonly devices: () => NodeDevices;
  /** Undefined while it is not known which volumes are in use. */
  readonly volumesInUse: () => readonly string[] | undefined;
}

/** Collects the changing properties of the node. Never rejects: an unavailable runtime makes the node not ready. */
export async function observeNode(options: NodeSources): Promise<NodeObservation> {
  const runtime = await observeRuntime(options);
  const images = runtime.version === "" ? [] : await nodeImages(options.cri, options.maxImages).catch(() => []);
  return {
    health: {
      errors: [...runtime.errors, ...options.errors()],
      pressure: options.pressure(),
      hasAppArmor: options.hasAppArmor,
    },
    runtimeVersion: runtime.version,
    images,
    devices: options.devices(),
    volumesInUse: options.volumesInUse(),
  };
}
