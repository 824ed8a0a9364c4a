import { messageOf } from "@orchernetes/kernel";
import { CriError } from "../client/cri-error.ts";
import type { RuntimeHandlers } from "../server/serve-cri.ts";
import type { StreamingServer } from "../streaming/streaming-server.ts";
import type { ContainerEvents } from "./container-events.ts";
import { toContainer, toContainerStatus } from "./container-view.ts";
import type { Containers } from "./containers.ts";
import { hasTerminals } from "./host-command.ts";
import type { HostImages } from "./host-images.ts";
import type { SandboxRecord } from "./records.ts";
import { refuseUnsupportedContainer, refuseUnsupportedSandbox } from "./refuse-unsupported.ts";
import { runCommand } from "./run-command.ts";
import { hasLabels, type Sandboxes, toPodSandbox, toPodSandboxStatus } from "./sandboxes.ts";
import type { StatsReader } from "./stats.ts";

/** Name and version that the process runtime reports. */
const runtimeName = "orchernetes-process-runtime";
const runtimeVersion = "1.27.0";
// Limit of each output of ExecSync: both together, with their tags and lengths, must fit into a gRPC message of 16
// MiB. A longer response would fail the whole call.
const maxExecOutputBytes = 8 * 1024 * 1024 - 1024;

/** The parts of the process runtime that its runtime service uses. */
export interface RuntimeServiceParts {
  readonly sandboxes: Sandboxes;
  readonly containers: Containers;
  readonly images: HostImages;
  readonly stats: StatsReader;
  readonly events: ContainerEvents;
  readonly streaming: StreamingServer;
}

/** The runtime service of the process runtime. */
export function createRuntimeService(parts: RuntimeServiceParts): RuntimeHandlers {
  return {
    // The CRI version is 0.1.0 in all runtimes; clients check only runtimeApiVersion.
    version: () => ({ version: "0.1.0", runtimeName, runtimeVersion, runtimeApiVersion: "v1" }),
    status: () => ({
      status: {
        conditions: [
          { type: "RuntimeReady", status: true },
          { type: "NetworkReady", status: true },
        ],
      },
    }),
    updateRuntimeConfig: () => ({}),
    ...sandboxCalls(parts),
    ...containerCalls(parts),
    ...streamCalls(parts),
    ...statsCalls(parts),
    getContainerEvents: (signal) => parts.events.subscribe(signal),
  };
}

/** Calls for sandboxes. */
function sandboxCalls({
  sandboxes,
  containers,
}: RuntimeServiceParts): Pick<
  RuntimeHandlers,
  "runPodSandbox" | "stopPodSandbox" | "removePodSandbox" | "podSandboxStatus" | "listPodSandbox"
> {
  const containersOf = (podSandboxId: string) => containers.list({ podSandboxId });

  async function stopSandbox(record: SandboxRecord): Promise<void> {
    await Promise.all(containersOf(record.id).map((container) => containers.stop(container, 0)));
    await sandboxes.stopped(record);
  }

  return {
    async runPodSandbox({ config, runtimeHandler }) {
      if (config === undefined) throw new CriError("RunPodSandbox", "InvalidArgument", "config is missing");
      refuseUnsupportedSandbox(config, runtimeHandler);
      return { podSandboxId: (await sandboxes.run(config, runtimeHandler)).id };
    },
    async stopPodSandbox({ podSandboxId }) {
      const record = sandboxes.find(podSandboxId);
      if (record !== undefined) await stopSandbox(record);
      return {};
    },
    async removePodSandbox({ podSandboxId }) {
      const record = sandboxes.find(podSandboxId);
      if (record === undefined) return {};
      await stopSandbox(record);
      await Promise.all(containersOf(podSandboxId).map(({ id }) => containers.remove(id)));
      await sandboxes.remove(podSandboxId);
      return {};
    },
    podSandboxStatus: ({ podSandboxId }) => ({ status: toPodSandboxStatus(sandboxes.get(podSandboxId)) }),
    listPodSandbox: ({ filter }) => ({ items: sandboxes.list(filter).map(toPodSandbox) }),
  };
}

/** Calls for containers. */
function containerCalls({
  sandboxes,
  containers,
  images,
}: RuntimeServiceParts): Pick<
  RuntimeHandlers,
  | "createContainer"
  | "startContainer"
  | "stopContainer"
  | "removeContainer"
  | "listContainers"
  | "containerStatus"
  | "updateContainerResources"
  | "reopenContainerLog"
> {
  return {
    async createContainer({ podSandboxId, config, sandboxConfig }) {
      const sandbox = sandboxes.get(podSandboxId);
      if (config === undefined) throw new CriError("CreateContainer", "InvalidArgument", "config is missing");
      if (sandbox.state !== "SANDBOX_READY") {
        throw new CriError("CreateContainer", "FailedPrecondition", `sandbox "${podSandboxId}" is not ready`);
      }
      refuseUnsupportedContainer(config);
      if (config.tty && !hasTerminals()) {
        throw new CriError("CreateContainer", "FailedPrecondition", 'terminals need the program "script" (util-linux)');
      }
      const logDirectory = sandboxConfig?.logDirectory || sandbox.config.logDirectory;
      return { containerId: (await containers.create(sandbox, config, logDirectory)).id };
    },
    async startContainer({ containerId }) {
      await containers.start(containerId);
      return {};
    },
    async stopContainer({ containerId, timeout }) {
      await containers.stop(containers.get(containerId), timeout * 1000);
      return {};
    },
    async removeContainer({ containerId }) {
      await containers.remove(containerId);
      return {};
    },
    listContainers: ({ filter }) => ({
      containers: containers.list(filter).map((record) => toContainer(record, images)),
    }),
    containerStatus: ({ containerId }) => ({ status: toContainerStatus(containers.get(containerId), images) }),
    async updateContainerResources({ containerId, linux }) {
      const record = containers.get(containerId);
      // Plain processes have no limits; the status shows the requested resources.
      if (linux !== undefined) record.config.linux = { ...record.config.linux, resources: linux };
      await containers.save(record);
      return {};
    },
    reopenContainerLog({ containerId }) {
      containers.reopenLog(containerId);
      return {};
    },
  };
}

/** Calls that run commands in containers and forward ports. */
function streamCalls({
  sandboxes,
  containers,
  streaming,
}: RuntimeServiceParts): Pick<RuntimeHandlers, "execSync" | "exec" | "attach" | "portForward"> {
  return {
    async execSync({ containerId, cmd, timeout }) {
      const { record } = containers.running(containerId);
      try {
        const result = await runCommand(containers.command(record, cmd, false), timeout * 1000, maxExecOutputBytes);
        if (result !== undefined) return result;
      } catch (error) {
        const reason = messageOf(error);
        throw new CriError("ExecSync", "Unknown", `failed to exec in container: ${reason}`, { cause: error });
      }
      const details = `failed to exec in container: timeout ${timeout}s exceeded: context deadline exceeded`;
      throw new CriError("ExecSync", "DeadlineExceeded", details);
    },
    exec(request) {
      containers.running(request.containerId);
      return { url: streaming.url({ kind: "exec", request }) };
    },
    attach(request) {
      containers.running(request.containerId);
      return { url: streaming.url({ kind: "attach", request }) };
    },
    portForward(request) {
      if (sandboxes.get(request.podSandboxId).state !== "SANDBOX_READY") {
        throw new CriError("PortForward", "FailedPrecondition", `sandbox "${request.podSandboxId}" is not ready`);
      }
      return { url: streaming.url({ kind: "portforward", request }) };
    },
  };
}

/** Calls for resource usage of containers and sandboxes. */
function statsCalls({
  sandboxes,
  containers,
  stats,
}: RuntimeServiceParts): Pick<
  RuntimeHandlers,
  "containerStats" | "listContainerStats" | "podSandboxStats" | "listPodSandboxStats"
> {
  const containersOf = (podSandboxId: string) => containers.list({ podSandboxId });
  return {
    containerStats({ containerId }) {
      const [found] = stats.containers([containers.running(containerId).record]);
      return found === undefined ? {} : { stats: found };
    },
    listContainerStats: ({ filter }) => ({ stats: stats.containers(containers.list(filter)) }),
    podSandboxStats({ podSandboxId }) {
      const [found] = stats.sandboxes([sandboxes.get(podSandboxId)], containersOf);
      return found === undefined ? {} : { stats: found };
    },
    listPodSandboxStats({ filter }) {
      const wanted = sandboxes
        .list(undefined)
        .filter(
          ({ id, config }) => id.startsWith(filter?.id ?? "") && hasLabels(config.labels, filter?.labelSelector ?? {}),
        );
      return { stats: stats.sandboxes(wanted, containersOf) };
    },
  };
}
