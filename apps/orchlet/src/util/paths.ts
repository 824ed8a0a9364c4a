import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureFolder } from "@orchernetes/host";
import type { PodIdentity } from "../types/pod-identity.ts";

/**
 * Paths of the agent's files. Names become path components: each function throws for a name that would escape its
 * folder.
 */
export interface Paths {
  readonly root: string;
  /** Mode of the folders of pods down to their volumes: other users of the host cannot list them. */
  readonly folderMode: number;
  readonly pods: string;
  pod(uid: string): string;
  volumes(uid: string): string;
  /** `<pod>/volumes/orchernetes.io~<plugin>/<name>` */
  volume(uid: string, plugin: string, name: string): string;
  /** The agent's records about the pod's volumes. */
  plugins(uid: string): string;
  /** `<pod>/plugins/orchernetes.io~<plugin>/<name>` */
  plugin(uid: string, plugin: string, name: string): string;
  /** Bind mounts of parts of volumes. */
  subPaths(uid: string): string;
  /** The target of one of these mounts; `index` is the index of the volume mount in its container. */
  subPath(uid: string, volume: string, container: string, index: number): string;
  /** Files that the agent creates for a container, such as its termination message. */
  container(uid: string, name: string): string;
  etcHosts(uid: string): string;
  /** The folder below which the runtime writes the logs of the pod's containers. */
  logs(pod: PodIdentity): string;
  readonly podLogs: string;
  /** The folder of links to the logs of containers; undefined unless the agent has the usual root folder. */
  readonly containerLogs: string | undefined;
  readonly seccomp: string;
  /** The folder of the volumes that the provisioner of local paths places on this node; they outlive pods. */
  readonly localVolumes: string;
  /** Plugins of the node create their registration sockets below it. */
  readonly pluginRegistry: string;
  /** Where drivers of CSI serve, and volumes are staged. */
  readonly pluginFolder: string;
  /** Block devices that the pod's containers get. */
  volumeDevices(uid: string): string;
  /** `<pod>/volumeDevices/orchernetes.io~<plugin>/<name>` */
  volumeDevice(uid: string, plugin: string, name: string): string;
  /** The folder of a CSI volume that is staged for all pods of the node; `id` is a hash of its handle. */
  csiStaging(driver: string, id: string): string;
  /** The parent of {@link Paths.csiStaging} of all drivers. */
  readonly csiStagings: string;
}

/** Whether a name can be one part of a path: it is not empty, `.` or `..`, and has no `/`. */
export const isPathPart = (name: string): boolean =>
  name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name);

/** Checks a path component. @throws Error if it would escape its folder */
function part(name: string): string {
  if (isPathPart(name)) return name;
  throw new Error(
    `${JSON.stringify(name)} cannot be a file name: want one that is not empty, "." or "..", without "/"`,
  );
}

/** The root folder of the agent unless another is configured. */
const usualRoot = "/var/lib/orchlet";

/** Whether an agent with this root folder has the host for itself: others that share a host have their own. */
export const ownsHost = (root: string): boolean => root === usualRoot;

/**
 * Creates the paths below a root folder, without touching the file system. Logs of containers are where collectors of logs expect
 * them, below `/var/log`, if the root folder is the usual one; else below it, so that several agents can share a host.
 *
 * @param folderMode see {@link Paths.folderMode}
 */
export function createPaths(root: string, folderMode = 0o750): Paths {
  const pods = join(root, "pods");
  const isUsual = ownsHost(root);
  const podLogs = isUsual ? "/var/log/pods" : join(root, "pod-logs");
  const pod = (uid: string) => join(pods, part(uid));
  const plugins = (uid: string) => join(pod(uid), "plugins");
  const subPaths = (uid: string) => join(pod(uid), "volume-subpaths");
  const volumeDevices = (uid: string) => join(pod(uid), "volumeDevices");
  const csiStagings = join(root, "plugins", "orchernetes.io", "csi");
  const ofPlugin = (plugin: string, name: string) => join(part(`orchernetes.io~${plugin}`), part(name));
  return {
    root,
    folderMode,
    pods,
    pod,
    volumes: (uid) => join(pod(uid), "volumes"),
    volume: (uid, plugin, name) => join(pod(uid), "volumes", ofPlugin(plugin, name)),
    plugins,
    plugin: (uid, plugin, name) => join(plugins(uid), ofPlugin(plugin, name)),
    subPaths,
    subPath: (uid, volume, container, index) => join(subPaths(uid), part(volume), part(container), String(index)),
    container: (uid, name) => join(pod(uid), "containers", part(name)),
    etcHosts: (uid) => join(pod(uid), "etc-hosts"),
    podLogs,
    containerLogs: isUsual ? "/var/log/containers" : undefined,
    logs: ({ namespace, name, uid }) => join(podLogs, part(`${namespace}_${name}_${uid}`)),
    seccomp: join(root, "seccomp"),
    localVolumes: join(root, "local-volumes"),
    pluginRegistry: join(root, "plugins_registry"),
    pluginFolder: join(root, "plugins"),
    volumeDevices,
    volumeDevice: (uid, plugin, name) => join(volumeDevices(uid), ofPlugin(plugin, name)),
    csiStagings,
    csiStaging: (driver, id) => join(csiStagings, part(driver), part(id)),
  };
}

/**
 * Creates the agent's folders, or removes other users' access to existing ones.
 *
 * A root folder that others may traverse but not read (such as 0711) keeps its mode, and the folders of pods get it,
 * too. A runtime without isolation needs this: its containers are processes of the host that reach their volumes by
 * these paths.
 *
 * @throws Error when a folder belongs to another user
 */
export function preparePaths(root: string): Paths {
  mkdirSync(root, { recursive: true, mode: 0o750 });
  const { mode } = statSync(root);
  const pass = (mode & 0o007) === 0o001 ? 0o001 : 0;
  ensureFolder(root, 0o700 | (mode & 0o050) | pass);
  const paths = createPaths(root, 0o750 | pass);
  for (const folder of [paths.pods, paths.localVolumes, paths.pluginRegistry, paths.pluginFolder])
    ensureFolder(folder, paths.folderMode);
  // Log collectors without root privileges read the logs of the host.
  if (paths.containerLogs !== undefined) mkdirSync(paths.podLogs, { recursive: true, mode: 0o755 });
  else ensureFolder(paths.podLogs, paths.folderMode);
  return paths;
}
