import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type SocketServer, serveCsi, serveRegistration } from "@orchernetes/csi";
import { createDirectoryDriver, type DirectoryDriver, type DirectoryDriverOptions } from "./directory-driver.ts";

/** A driver that is served on the sockets where the agent of a node looks for it. */
export interface RunningCsiDriver extends DirectoryDriver {
  /** For a client of CSI: the path of its socket. */
  readonly endpoint: string;
  /** What the agent has said of the registration, in order: "" for success, or the error. */
  readonly registrations: string[];
  /** Ends it as a crash would: the sockets are gone, what it has mounted stays. Idempotent. */
  stop(): Promise<void>;
}

/** Where the driver is served, and what it says of itself. */
export interface StartCsiDriverOptions extends DirectoryDriverOptions {
  /** The agent's `--root-dir`. */
  readonly rootDir: string;
  /** @default CSIPlugin with version 1.0.0 */
  readonly registration?: { readonly type?: string; readonly name?: string; readonly supportedVersions?: string[] };
}

/**
 * Starts a {@link DirectoryDriver}, and registers it at the agent, as its registrar would.
 *
 * @throws Error if another driver of the name runs there
 */
export async function startCsiDriver(options: StartCsiDriverOptions): Promise<RunningCsiDriver> {
  const { rootDir, name, registration = {} } = options;
  const driver = createDirectoryDriver(options);
  const folder = join(rootDir, "plugins", name);
  const registry = join(rootDir, "plugins_registry");
  await mkdir(folder, { recursive: true });
  await mkdir(registry, { recursive: true });
  const endpoint = join(folder, "csi.sock");
  const registrations: string[] = [];
  const servers: SocketServer[] = [
    await serveCsi(endpoint, driver.handlers),
    await serveRegistration(join(registry, `${name}-reg.sock`), {
      getInfo: () => ({ type: "CSIPlugin", name, endpoint, supportedVersions: ["1.0.0"], ...registration }),
      notifyRegistrationStatus({ pluginRegistered, error }) {
        registrations.push(pluginRegistered ? "" : error);
        return {};
      },
    }),
  ];
  return Object.assign(driver, {
    endpoint,
    registrations,
    async stop() {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
  });
}
