import { join } from "node:path";

/** Settings of a private containerd. All paths are absolute. */
export interface ContainerdConfigOptions {
  /** Persistent data: images and snapshots. */
  readonly root: string;
  /** Data of this boot: running tasks. */
  readonly state: string;
  /** The socket to serve on; at most 101 bytes, because `.ttrpc` is appended for a second one. */
  readonly socket: string;
  readonly cniConfDir: string;
  /** Folder with a folder for each image registry that is reached in another way than by its name (`HOST/hosts.toml`). May be missing. */
  readonly registriesDir: string;
  /** Folder of the CNI plugins, e.g. `/usr/lib/cni`. */
  readonly cniBinDir: string;
  /** @default "localhost/pause:1" */
  readonly sandboxImage?: string;
  /** @default "overlayfs" */
  readonly snapshotter?: "overlayfs" | "native";
  /**
   * Whether to keep the oom_score_adj of containers at or above that of containerd. Required where root lacks
   * CAP_SYS_RESOURCE, in which case every sandbox would otherwise fail with "can't get final child's PID from pipe:
   * EOF". @default false
   */
  readonly restrictOomScoreAdj?: boolean;
  /** `runc` program. @default found on PATH */
  readonly runcPath?: string;
  /** Host addresses of the exec/attach/port-forward server. @default "127.0.0.1" */
  readonly streamServerAddress?: string;
}

/**
 * A containerd configuration (version 2, for containerd 1.6 and 1.7): the CRI plugin with runc v2, and cgroupfs as
 * the cgroup driver, which works with cgroup v1 and v2. It shares nothing with a containerd of the host.
 */
export function renderContainerdConfig(options: ContainerdConfigOptions): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  const { snapshotter = "overlayfs", sandboxImage = "localhost/pause:1" } = options;
  const otherSnapshotters = ["aufs", "btrfs", "devmapper", "zfs"];
  const tables: [name: string, entries: Record<string, string | number | boolean | readonly string[]>][] = [
    [
      "",
      {
        version: 2,
        root: options.root,
        state: options.state,
        disabled_plugins: otherSnapshotters.map((name) => `io.containerd.snapshotter.v1.${name}`),
      },
    ],
    ["grpc", { address: options.socket }],
    ["ttrpc", { address: `${options.socket}.ttrpc` }],
    // The default is /opt/containerd, which containerd would create.
    ['plugins."io.containerd.internal.v1.opt"', { path: join(options.root, "opt") }],
    [
      cri,
      {
        sandbox_image: sandboxImage,
        restrict_oom_score_adj: options.restrictOomScoreAdj ?? false,
        stream_server_address: options.streamServerAddress ?? "127.0.0.1",
        stream_server_port: "0",
        enable_selinux: false,
        // By default they are in /run/netns, and the first `ip netns add` on a host mounts that folder on itself: the mounts in it
        // are then there twice, and containerd, which removes one of the two, could not delete the file below, nor the pod.
        netns_mounts_under_state_dir: true,
      },
    ],
    // By default the space of removed containers is not freed before a hundred other changes, nor before fifty times as long as the last
    // collection took, which is seconds on a slow machine: an agent that is short of space would evict another pod meanwhile.
    ['plugins."io.containerd.gc.v1.scheduler"', { deletion_threshold: 1, pause_threshold: 0.2 }],
    [`${cri}.containerd`, { snapshotter, default_runtime_name: "runc" }],
    [`${cri}.containerd.runtimes.runc`, { runtime_type: "io.containerd.runc.v2" }],
    [
      `${cri}.containerd.runtimes.runc.options`,
      {
        SystemdCgroup: false,
        Root: join(options.state, "runc"),
        ...(options.runcPath !== undefined && { BinaryName: options.runcPath }),
      },
    ],
    [`${cri}.registry`, { config_path: options.registriesDir }],
    [`${cri}.cni`, { bin_dir: options.cniBinDir, conf_dir: options.cniConfDir, max_conf_num: 1 }],
  ];
  return tables
    .map(([name, entries]) => {
      const lines = Object.entries(entries).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
      return [...(name === "" ? [] : [`[${name}]`]), ...lines, ""].join("\n");
    })
    .join("\n");
}
