/**
 * The services of device plugins, version v1beta1: a plugin registers at the agent, which then calls it on a socket of its own. Numbers
 * are those of the original's `deviceplugin/v1beta1/api.proto`.
 *
 * @module
 */
import {
  bool,
  type Calls,
  type Handlers,
  type Infer,
  int32,
  int64,
  list,
  message,
  openService,
  served,
  serveGrpc,
  stream,
  string,
  stringMap,
  unary,
} from "@orchernetes/cri/grpc";

/** The version that plugins must have. */
export const devicePluginVersion = "v1beta1";
/** The health of a device that can be allocated. */
export const healthyText = "Healthy";

const Empty = message({});

/** Optional calls that the plugin wants to receive. */
const DevicePluginOptions = message({ preStartRequired: [1, bool], getPreferredAllocationAvailable: [2, bool] });
export interface DevicePluginOptions extends Infer<typeof DevicePluginOptions> {}

const RegisterRequest = message({
  version: [1, string],
  /** Name of the plugin's socket in the folder of the agent's. */
  endpoint: [2, string],
  resourceName: [3, string],
  options: [4, DevicePluginOptions],
});
export interface RegisterRequest extends Infer<typeof RegisterRequest> {}

/** Served by the agent. */
const registrationService = { register: unary(RegisterRequest, Empty) } as const;

/** A device as its plugin describes it. */
const PluginDevice = message({
  id: [1, string],
  health: [2, string],
  /** Absent: the device belongs to no NUMA node. */
  topology: [3, message({ nodes: [1, list(message({ id: [1, int64] }))] })],
});
export interface PluginDevice extends Infer<typeof PluginDevice> {}

/** What a container gets with its devices. */
export const ContainerAllocateResponse = message({
  envs: [1, stringMap],
  mounts: [2, list(message({ containerPath: [1, string], hostPath: [2, string], readOnly: [3, bool] }))],
  devices: [3, list(message({ containerPath: [1, string], hostPath: [2, string], permissions: [3, string] }))],
  annotations: [4, stringMap],
  /** Fully qualified names of the container device interface. */
  cdiDevices: [5, list(message({ name: [1, string] }))],
});
export interface ContainerAllocateResponse extends Infer<typeof ContainerAllocateResponse> {}

/** Served by a plugin. */
const devicePluginService = {
  getDevicePluginOptions: unary(Empty, DevicePluginOptions),
  listAndWatch: stream(Empty, message({ devices: [1, list(PluginDevice)] })),
  getPreferredAllocation: unary(
    message({
      containerRequests: [
        1,
        list(
          message({
            availableDeviceIds: [1, list(string)],
            mustIncludeDeviceIds: [2, list(string)],
            allocationSize: [3, int32],
          }),
        ),
      ],
    }),
    message({ containerResponses: [1, list(message({ deviceIds: [1, list(string)] }))] }),
  ),
  allocate: unary(
    message({ containerRequests: [1, list(message({ deviceIds: [1, list(string)] }))] }),
    message({ containerResponses: [1, list(ContainerAllocateResponse)] }),
  ),
  preStartContainer: unary(message({ deviceIds: [1, list(string)] }), Empty),
} as const;

/** The methods that a plugin implements. */
export type DevicePluginHandlers = Handlers<typeof devicePluginService>;

/** A server on a socket. */
export interface SocketServer {
  /** Ends all calls and deletes the socket. */
  close(): Promise<void>;
}

/** A service that is called. */
interface OpenClient<C> {
  readonly calls: C;
  close(): void;
}

/** Serves the registration of plugins. @throws Error if another server listens on the path */
export const serveRegistration = (
  socketPath: string,
  register: (request: RegisterRequest) => void,
): Promise<SocketServer> =>
  serveGrpc(socketPath, [
    served("v1beta1.Registration", registrationService, {
      register(request) {
        register(request);
        return {};
      },
    }),
  ]);

/** Serves a plugin. @throws Error if another server listens on the path */
export const serveDevicePlugin = (socketPath: string, handlers: DevicePluginHandlers): Promise<SocketServer> =>
  serveGrpc(socketPath, [served("v1beta1.DevicePlugin", devicePluginService, handlers)]);

/** Opens a plugin. The first call connects. @param timeoutMs limit of each call, but of the watch */
export const openDevicePlugin = (
  socketPath: string,
  timeoutMs: number,
): OpenClient<Calls<typeof devicePluginService>> =>
  openService(socketPath, "v1beta1.DevicePlugin", devicePluginService, { timeoutMs });

/** Opens the registration of an agent. */
export const openRegistration = (
  socketPath: string,
  timeoutMs: number,
): OpenClient<Calls<typeof registrationService>> =>
  openService(socketPath, "v1beta1.Registration", registrationService, { timeoutMs });
