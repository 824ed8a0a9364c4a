import type { PluginHandler } from "../../plugin-registry/plugin-registry.ts";
import type { DeviceManager } from "./device-manager.ts";
import { devicePluginVersion } from "./device-plugin-api.ts";
import { checkResourceName } from "./device-plugins.ts";

/** Type of device plugins in the registry of plugins. */
export const devicePluginType = "DevicePlugin";

/** Handles device plugins that create their sockets in the folder `plugins_registry` instead of registering themselves. */
export const devicePluginHandler = (devices: Pick<DeviceManager, "addPlugin" | "removePlugin">): PluginHandler => ({
  validate({ name, supportedVersions }) {
    if (!supportedVersions.includes(devicePluginVersion))
      throw new Error(
        `manager version, ${devicePluginVersion}, is not among plugin supported versions ${JSON.stringify(supportedVersions.slice(0, 16))}`,
      );
    checkResourceName(name);
  },
  register: ({ name, endpoint }) => devices.addPlugin(name, endpoint),
  async deregister(name) {
    devices.removePlugin(name);
  },
});
