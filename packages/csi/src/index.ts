/**
 * The container storage interface (CSI) 1.8: a typed client of drivers, servers for drivers, and the registration of plugins at the
 * agent of a node. Messages and methods are described as those of CRI are; only what is used here is described.
 *
 * @example
 * ```ts
 * import { createCsiClient } from "@orchernetes/csi";
 *
 * const driver = createCsiClient("unix:///var/lib/orchlet/plugins/example/csi.sock");
 * const { nodeId } = await driver.node.nodeGetInfo({});
 * driver.close();
 * ```
 *
 * @module
 */
export {
  type CsiClient,
  type CsiClientOptions,
  createCsiClient,
  createRegistrationClient,
  type RegistrationClient,
} from "./clients.ts";
export type { Volume as CsiVolumeInfo, VolumeCapability } from "./messages.ts";
export { type CsiHandlers, type SocketServer, serveCsi, serveRegistration } from "./serve-csi.ts";
export type {
  NodeGetInfoResponse,
  NodeGetVolumeStatsResponse,
  NodePublishVolumeRequest,
  NodeStageVolumeRequest,
  PluginInfo,
} from "./services.ts";
