import { join } from "node:path";

/** Settings of a private containerd. All paths are absolute. */
export interface ContainerdConfigOptions {
  /** Persistent data: images, snapshots. */
  readonly root: string;
  /** Data of this boot: running tasks. */
  readonly state: string;
  /** The socket to serve on. Unix socket paths end at 107 bytes. */
  readonly socket: string;
  readonly cniConfDir: string;
  /** Folder of the CNI plugins, e.g. `/usr/lib/cni`. */
  readonly cniBinDir: string;
  /** @default "localhost/pause:1" */
  readonly sandboxImage?: string;
  /** @default "overlayfs" */
  readonly snapshotter?: "overlayfs" | "native";
  /**
   * Whether to keep containers' oom_score_adj at or above containerd's own. Needed where root lacks CAP_SYS_RESOURCE:
   * without it every sandbox fails there with "can't get final child's PID from pipe: EOF". @default false
   */
  readonly restrictOomScoreAdj?: boolean;
  /** `runc` program. @default found on PATH */
  readonly runcPath?: string;
  /** Host addresses of the exec/attach/port-forward server. @default "127.0.0.1" */
  readonly streamServerAddress?: string;
}

/**
 * containerd configuration (version 2, containerd 1.6 and 1.7): the CRI plugin with runc v2, cgroupfs as the cgroup
 * driver (works on cgroup v1 and v2), nothing shared with the host's own containerd.
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
    // Its default is /opt/containerd, which it would create.
    ['plugins."io.containerd.internal.v1.opt"', { path: join(options.root, "opt") }],
    [
      cri,
      {
        sandbox_image: sandboxImage,
        restrict_oom_score_adj: options.restrictOomScoreAdj ?? false,
        stream_server_address: options.streamServerAddress ?? "127.0.0.1",
        stream_server_port: "0",
        enable_selinux: false,
      },
    ],
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
    [`${cri}.cni`, { bin_dir: options.cniBinDir, conf_dir: options.cniConfDir, max_conf_num: 1 }],
  ];
  return tables
    .map(([name, entries]) => {
      const lines = Object.entries(entries).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
      return [...(name === "" ? [] : [`[${name}]`]), ...lines, ""].join("\n");
    })
    .join("\n");
}
