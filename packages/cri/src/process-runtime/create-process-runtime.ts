import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, type Logger, silentLogger, systemClock } from "@orchernetes/kernel";
import { serveCri } from "../server/serve-cri.ts";
import { startStreamingServer } from "../streaming/streaming-server.ts";
import type { ContainerEventType } from "../v1/services.ts";
import { linkBusybox } from "./busybox-links.ts";
import { createContainerEvents } from "./container-events.ts";
import { toContainerStatus } from "./container-view.ts";
import { type Containers, loadContainers } from "./containers.ts";
import { createHostImages } from "./host-images.ts";
import { createImageService } from "./image-service.ts";
import { lockFolder } from "./lock-folder.ts";
import { createIpAllocator } from "./pod-ips.ts";
import { preciseTime } from "./precise-time.ts";
import { createProcessStreaming } from "./process-streaming.ts";
import { createRecordStore } from "./record-store.ts";
import type { ContainerRecord, SandboxRecord } from "./records.ts";
import { createRuntimeService } from "./runtime-service.ts";
import { loadSandboxes, toPodSandboxStatus } from "./sandboxes.ts";
import { createStatsReader } from "./stats.ts";

/** The options of a process runtime. */
export interface ProcessRuntimeOptions {
  /** Unix socket to serve on. */
  readonly socketPath: string;
  /** Folder for its state. Containers of an earlier run that are recorded there continue. */
  readonly rootDir: string;
  /** Image references that are present in addition to `localhost/…`. @default none */
  readonly images?: readonly string[];
  /**
   * IPv4 network from which each pod gets an address. All of its addresses must belong to this host (within
   * 127.0.0.0/8, or routed as local). @default 127.0.0.1 for all pods
   */
  readonly podSubnet?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Aborting it closes the runtime. */
  readonly signal?: AbortSignal | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** A running process runtime. */
export interface ProcessRuntime {
  /** `unix://…` */
  readonly endpoint: string;
  /**
   * Stops serving. The containers keep running, and a later runtime with the same folder takes them over. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Starts the embedded process runtime: CRI v1 on a unix socket, with containers as process groups of this host,
 * **without any isolation**: no file system, network, user or resource limit of their own. It is for machines where
 * containers cannot run. Linux only.
 *
 * - Commands are those of the host, with busybox applets first in PATH. Images are only names: `localhost/…` and
 *   listed ones.
 * - A mount is a link at its container path below the folder in `ORCHERNETES_CONTAINER_ROOT`. That folder is also
 *   HOME and contains the working folder. Absolute paths are those of the host.
 * - Pods have the network of the host. Their address is 127.0.0.1, or one of `podSubnet`.
 * - Containers and their output survive the runtime; see the shim.
 *
 * @throws Error if another server listens on the socket, or another runtime uses the folder
 */
export async function createProcessRuntime(options: ProcessRuntimeOptions): Promise<ProcessRuntime> {
  const { socketPath, rootDir, logger = silentLogger, signal } = options;
  const now = preciseTime(options.clock ?? systemClock);
  const nowNs = () => BigInt(Math.floor(now() * 1e6));
  const images = createHostImages(options.images ?? []);
  const allocateIp = createIpAllocator(options.podSubnet);
  const bin = join(rootDir, "bin");
  await mkdir(rootDir, { recursive: true, mode: 0o711 });
  await mkdir(dirname(socketPath), { recursive: true });
  // Two runtimes with the same folder would take output from each other and both record exits.
  const unlock = lockFolder(rootDir);
  await linkBusybox(bin);

  const events = createContainerEvents();
  const sandboxes = await loadSandboxes(
    createRecordStore<SandboxRecord>(join(rootDir, "sandboxes")),
    nowNs,
    allocateIp,
  );

  function publish(type: ContainerEventType, record: ContainerRecord): void {
    const sandbox = sandboxes.find(record.podSandboxId);
    const all = containers?.list({ podSandboxId: record.podSandboxId }) ?? [record];
    events.publish({
      containerId: record.id,
      containerEventType: type,
      createdAt: nowNs(),
      ...(sandbox && { podSandboxStatus: toPodSandboxStatus(sandbox) }),
      containersStatuses: all.map((each) => toContainerStatus(each, images)),
    });
  }

  let containers: Containers | undefined;
  const loaded = await loadContainers({
    store: createRecordStore<ContainerRecord>(join(rootDir, "containers")),
    images,
    bin,
    now,
    sandbox: (id) => sandboxes.find(id),
    onEvent: publish,
    logger,
  });
  containers = loaded;
  const backend = createProcessStreaming(loaded, (id) => sandboxes.get(id));
  const streaming = await startStreamingServer({ backend, logger });
  const stats = createStatsReader(nowNs);
  const server = await serveCri({
    socketPath,
    runtime: createRuntimeService({ sandboxes, containers: loaded, images, stats, events, streaming }),
    images: createImageService(images, rootDir, nowNs),
  }).catch(async (error: unknown) => {
    loaded.detach();
    await streaming.close();
    unlock();
    throw error;
  });
  logger.warn(
    "The process runtime runs containers as plain processes of this host, without any isolation: " +
      "they see and may change everything this user may. Use containerd for anything but a trial",
    { socket: socketPath, root: rootDir },
  );

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await server.close();
    await streaming.close();
    loaded.detach();
    unlock();
  }
  const runtime: ProcessRuntime = { endpoint: `unix://${socketPath}`, close: () => (closed ??= close()) };
  signal?.addEventListener("abort", () => void runtime.close(), { once: true });
  return runtime;
}
