import { join } from "node:path";
import type { PluginDevice } from "../container-manager/device-manager/device-plugin-api.ts";
import {
  type ContainerAllocateResponse,
  type DevicePluginHandlers,
  healthyText,
  openRegistration,
  type SocketServer,
  serveDevicePlugin,
} from "../container-manager/device-manager/device-plugin-api.ts";

/** How the plugin behaves; each part may be changed while it runs. */
interface Behaviour {
  readonly preStartRequired?: boolean;
  readonly getPreferredAllocationAvailable?: boolean;
  allocate?: DevicePluginHandlers["allocate"];
  prefer?: (available: readonly string[], include: readonly string[], size: number) => readonly string[];
  preStart?: () => void;
}

/** A device; `nodes` are NUMA nodes. */
interface GivenDevice {
  readonly id: string;
  readonly health?: string;
  readonly nodes?: readonly number[];
}

/** A device plugin that serves on a socket of its own, as one on a node does. */
export class TestDevicePlugin {
  /** What the agent has asked, in order. */
  readonly calls: string[] = [];
  readonly behaviour: Behaviour;
  readonly socketPath: string;
  readonly #folder: string;
  readonly #resource: string;
  readonly #name: string;
  #devices: readonly PluginDevice[];
  #changed = Promise.withResolvers<void>();
  #server: SocketServer | undefined;

  /** @param folder the folder of the agent's socket */
  constructor(
    folder: string,
    resource: string,
    devices: readonly GivenDevice[],
    behaviour: Behaviour = {},
    name = resource.replace("/", "_"),
  ) {
    this.#folder = folder;
    this.#resource = resource;
    this.#name = `${name}.sock`;
    this.socketPath = join(folder, this.#name);
    this.#devices = describe(devices);
    this.behaviour = behaviour;
  }

  /** Serves the plugin, and registers it. */
  async start(version = "v1beta1"): Promise<void> {
    await this.serve();
    await this.register(version);
  }

  async serve(): Promise<void> {
    const { behaviour, calls } = this;
    const watch = (signal: AbortSignal) => this.#watch(signal);
    this.#server = await serveDevicePlugin(this.socketPath, {
      getDevicePluginOptions: () => this.#options,
      listAndWatch: watch,
      allocate(request) {
        calls.push(`allocate ${request.containerRequests.map(({ deviceIds }) => deviceIds.join(",")).join(";")}`);
        return behaviour.allocate?.(request) ?? { containerResponses: request.containerRequests.map(responseTo) };
      },
      getPreferredAllocation({ containerRequests }) {
        const [{ availableDeviceIds = [], mustIncludeDeviceIds = [], allocationSize = 0 } = {}] = containerRequests;
        calls.push(`prefer ${allocationSize} of ${availableDeviceIds.toSorted().join(",")}`);
        const deviceIds = behaviour.prefer?.(availableDeviceIds, mustIncludeDeviceIds, allocationSize) ?? [];
        return { containerResponses: [{ deviceIds }] };
      },
      preStartContainer({ deviceIds }) {
        calls.push(`start ${deviceIds.join(",")}`);
        behaviour.preStart?.();
        return {};
      },
    });
  }

  /** @param hasOptions whether the registration says which calls the plugin wants */
  async register(version = "v1beta1", endpoint = this.#name, hasOptions = true): Promise<void> {
    const { calls, close } = openRegistration(join(this.#folder, "orchlet.sock"), 10_000);
    try {
      const options = hasOptions ? { options: this.#options } : {};
      await calls.register({ version, endpoint, resourceName: this.#resource, ...options });
    } finally {
      close();
    }
  }

  /** Sends another list of devices. */
  set(devices: readonly GivenDevice[]): void {
    this.#devices = describe(devices);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  get #options() {
    const { preStartRequired = false, getPreferredAllocationAvailable = false } = this.behaviour;
    return { preStartRequired, getPreferredAllocationAvailable };
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<{ devices: PluginDevice[] }> {
    const gone = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    while (!signal.aborted) {
      const changed = this.#changed.promise;
      yield { devices: [...this.#devices] };
      await Promise.race([changed, gone]);
    }
  }
}

const describe = (devices: readonly GivenDevice[]): readonly PluginDevice[] =>
  devices.map(({ id, health = healthyText, nodes }) => ({
    id,
    health,
    ...(nodes && { topology: { nodes: nodes.map((node) => ({ id: node })) } }),
  }));

/** What a container gets: a variable, a device, a mount and an annotation. */
function responseTo({ deviceIds }: { readonly deviceIds: readonly string[] }): ContainerAllocateResponse {
  return {
    envs: { DEVICES: deviceIds.join(",") },
    mounts: [{ containerPath: "/driver", hostPath: "/opt/driver", readOnly: true }],
    devices: deviceIds.map((id) => ({ containerPath: `/dev/${id}`, hostPath: `/dev/host-${id}`, permissions: "rw" })),
    annotations: { "example.com/devices": deviceIds.join(",") },
    cdiDevices: deviceIds.map((id) => ({ name: `example.com/device=${id}` })),
  };
}
