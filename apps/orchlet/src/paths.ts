import { join } from "node:path";
import type { PodIdentity } from "./pods/pod-identity.ts";

/** Where the agent keeps what. */
export interface Paths {
  readonly root: string;
  readonly pods: string;
  pod(uid: string): string;
  volumes(uid: string): string;
  /** `<pod>/volumes/orchernetes.io~<plugin>/<name>` */
  volume(uid: string, plugin: string, name: string): string;
  /** Bind mounts of parts of volumes. */
  subPaths(uid: string): string;
  container(uid: string, name: string): string;
  etcHosts(uid: string): string;
  /** The runtime writes logs of the pod's containers below this. */
  logs(pod: PodIdentity): string;
  readonly podLogs: string;
  readonly seccomp: string;
}

export function createPaths(root: string): Paths {
  const pods = join(root, "pods");
  const podLogs = join(root, "pod-logs");
  const pod = (uid: string) => join(pods, uid);
  return {
    root,
    pods,
    pod,
    volumes: (uid) => join(pod(uid), "volumes"),
    volume: (uid, plugin, name) => join(pod(uid), "volumes", `orchernetes.io~${plugin}`, name),
    subPaths: (uid) => join(pod(uid), "volume-subpaths"),
    container: (uid, name) => join(pod(uid), "containers", name),
    etcHosts: (uid) => join(pod(uid), "etc-hosts"),
    podLogs,
    logs: ({ namespace, name, uid }) => join(podLogs, `${namespace}_${name}_${uid}`),
    seccomp: join(root, "seccomp"),
  };
}
