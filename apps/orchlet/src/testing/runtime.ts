import type { CriClient } from "@orchernetes/cri";

interface FakeSandbox {
  readonly id: string;
  readonly config: { readonly metadata: { readonly attempt?: number }; readonly labels: Record<string, string> };
  state: "SANDBOX_READY" | "SANDBOX_NOTREADY";
}
interface FakeContainer {
  readonly id: string;
  readonly podSandboxId: string;
  readonly config: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  state: "CONTAINER_CREATED" | "CONTAINER_RUNNING" | "CONTAINER_EXITED";
}

type Listing = { readonly filter?: { readonly labelSelector?: Record<string, string>; readonly state?: unknown } };

const matches = (labels: Record<string, string>, filter: Listing["filter"]): boolean =>
  Object.entries(filter?.labelSelector ?? {}).every(([key, value]) => labels[key] === value);

/** A container runtime in memory: every image is there, and what is started runs until it is stopped. */
export function createFakeRuntime() {
  const sandboxes = new Map<string, FakeSandbox>();
  const containers = new Map<string, FakeContainer>();
  let lastId = 0;
  let isClosed = false;

  const ofSandboxes = {
    listPodSandbox: async ({ filter }: Listing) => ({
      items: [...sandboxes.values()]
        .filter(({ config }) => matches(config.labels, filter))
        .map(({ id, state, config }) => ({ id, state, labels: config.labels })),
    }),
    podSandboxStatus: async ({ podSandboxId }: { podSandboxId: string }) => {
      const { id = "", state, config } = sandboxes.get(podSandboxId) ?? {};
      const status = { id, state, metadata: config?.metadata, createdAt: 1n, annotations: {} };
      return { status: { ...status, network: { ip: "10.0.0.2", additionalIps: [] } } };
    },
    runPodSandbox: async ({ config }: Pick<FakeSandbox, "config">) => {
      const id = `s${++lastId}`;
      sandboxes.set(id, { id, config, state: "SANDBOX_READY" });
      return { podSandboxId: id };
    },
    stopPodSandbox: async ({ podSandboxId }: { podSandboxId: string }) => {
      const sandbox = sandboxes.get(podSandboxId);
      if (sandbox !== undefined) sandbox.state = "SANDBOX_NOTREADY";
    },
    removePodSandbox: async ({ podSandboxId }: { podSandboxId: string }) => void sandboxes.delete(podSandboxId),
  };
  const ofContainers = {
    listContainers: async ({ filter }: Listing) => ({
      containers: [...containers.values()]
        .filter(
          ({ config, state }) => matches(config.labels, filter) && (!filter?.state || state === "CONTAINER_RUNNING"),
        )
        .map(({ id, state, config, podSandboxId }) => ({ id, state, podSandboxId, labels: config.labels })),
    }),
    containerStatus: async ({ containerId }: { containerId: string }) => {
      const { state, config } = containers.get(containerId) ?? {};
      const times = { createdAt: 1n, startedAt: 2n, finishedAt: state === "CONTAINER_EXITED" ? 3n : 0n };
      const ended = { exitCode: 0, reason: "", message: "", mounts: [], logPath: "", imageRef: "sha256:0" };
      return { status: { state, annotations: config?.annotations ?? {}, ...times, ...ended } };
    },
    createContainer: async ({ podSandboxId, config }: Pick<FakeContainer, "podSandboxId" | "config">) => {
      const containerId = `c${++lastId}`;
      containers.set(containerId, { id: containerId, podSandboxId, config, state: "CONTAINER_CREATED" });
      return { containerId };
    },
    startContainer: async ({ containerId }: { containerId: string }) => setState(containerId, "CONTAINER_RUNNING"),
    stopContainer: async ({ containerId }: { containerId: string }) => setState(containerId, "CONTAINER_EXITED"),
    removeContainer: async ({ containerId }: { containerId: string }) => void containers.delete(containerId),
    listContainerStats: async () => ({ stats: [] }),
  };
  const setState = (id: string, state: FakeContainer["state"]): void => {
    const container = containers.get(id);
    if (container !== undefined) container.state = state;
  };
  const cri = {
    runtime: {
      version: async () => ({ runtimeName: "fake", runtimeVersion: "1" }),
      status: async () => ({ status: { conditions: [] } }),
      ...ofSandboxes,
      ...ofContainers,
    },
    images: {
      listImages: async () => ({ images: [] }),
      imageStatus: async () => ({ image: { id: "sha256:0" } }),
      pullImage: async () => ({ imageRef: "sha256:0" }),
      imageFsInfo: async () => ({ imageFilesystems: [] }),
    },
    close: () => {
      isClosed = true;
    },
  };
  return {
    cri: cri as unknown as CriClient,
    isClosed: () => isClosed,
    count: () => ({ sandboxes: sandboxes.size, containers: containers.size }),
  };
}
