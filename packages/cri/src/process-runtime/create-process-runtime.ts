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

/** Settings of a process runtime. */
export interface ProcessRuntimeOptions {
  /** Unix socket to serve on. */
  readonly socketPath: string;
  /** Folder for its state; the containers of a former run that are recorded there continue. */
  readonly rootDir: string;
  /** Image references that count as present besides `localhost/…`. @default none */
  readonly images?: readonly string[];
  /** IPv4 network whose addresses are all this host's (within 127.0.0.0/8, or routed as local) for an address of its own per pod. @default 127.0.0.1 for all pods */
  readonly podSubnet?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Aborting it closes the runtime. */
  readonly signal?: AbortSignal | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock | undefined;
}

/** A running process runtime. */
export interface ProcessRuntime {
  /** `unix://…` */
  readonly endpoint: string;
  /** Stops serving; the containers keep running, and a later runtime on the same folder takes them over. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts the embedded process runtime: CRI v1 on a unix socket, containers as process groups of this host, **without
 * any isolation**: no file system, network, user or resource limit of their own. For machines where containers can't
 * run. Linux only.
 *
 * - Commands are the host's, with busybox's applets first on PATH. Images are names: `localhost/…` and listed ones.
 * - A mount is a link at its container path below the folder that `ORCHERNETES_CONTAINER_ROOT` names, which is also
 *   HOME and holds the working folder. Absolute paths mean the host's.
 * - Pods have the host's network; their address is 127.0.0.1, or one of `podSubnet`.
 * - Containers and their output survive the runtime; see the shim.
 *
 * @throws Error if another server listens on the socket
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
  // Two runtimes on one folder would take each other's output and record each other's exits.
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
