import { existsSync, readdirSync } from "node:fs";
import { lstat, mkdir, open, readFile, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RpcError } from "@orchernetes/cri/grpc";
import type { CsiHandlers } from "@orchernetes/csi";
import { bindMount, isMounted, O_PATH, unmount } from "@orchernetes/host";

/** A call that the driver has received. */
export interface CsiCallSeen {
  /** Such as `NodePublishVolume`. */
  readonly method: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** What a test makes the driver do instead of its work. */
export type CsiMisbehaviour =
  /** Answers with an error. */
  | {
      readonly type: "Fail";
      readonly code: "Internal" | "NotFound" | "InvalidArgument" | "Unavailable";
      readonly text: string;
    }
  /** Does its work, and then answers with an error. */
  | { readonly type: "FailAfterwards"; readonly text: string }
  /** Never answers. */
  | { readonly type: "Hang" }
  /** Says that it did its work, and did not. */
  | { readonly type: "Lie" };

/** How the driver presents itself. */
export interface DirectoryDriverOptions {
  readonly name: string;
  readonly nodeId: string;
  /** Where the contents of volumes are. */
  readonly dataDir: string;
  /** 0: no limit. @default 0 */
  readonly maxVolumes?: number;
  readonly topology?: Readonly<Record<string, string>>;
  /** Capabilities of the node service. @default STAGE_UNSTAGE_VOLUME, GET_VOLUME_STATS, EXPAND_VOLUME */
  readonly capabilities?: readonly NodeCapabilityName[];
  /** The device that block volumes show. @default "/dev/zero" */
  readonly device?: string;
}

type NodeCapabilityName =
  | "STAGE_UNSTAGE_VOLUME"
  | "GET_VOLUME_STATS"
  | "EXPAND_VOLUME"
  | "SINGLE_NODE_MULTI_WRITER"
  | "VOLUME_MOUNT_GROUP";

/** A real CSI driver: its volumes are directories, which it bind mounts. */
export interface DirectoryDriver {
  readonly handlers: CsiHandlers;
  /** All calls in order, without those that only ask. */
  readonly calls: CsiCallSeen[];
  /** Asked before each call. */
  misbehave: ((call: CsiCallSeen) => CsiMisbehaviour | undefined) | undefined;
  /** Volumes that are attached to the node, with what they have been attached with. */
  readonly attached: ReadonlySet<string>;
}

const defaultCapabilities: readonly NodeCapabilityName[] = [
  "STAGE_UNSTAGE_VOLUME",
  "GET_VOLUME_STATS",
  "EXPAND_VOLUME",
];
const mebibyte = 1024 ** 2;

/** Creates the driver. Its state is in `dataDir`, so that a later driver with the same folder continues. */
export function createDirectoryDriver(options: DirectoryDriverOptions): DirectoryDriver {
  const calls: CsiCallSeen[] = [];
  const attached = new Set<string>();
  const volumes = new DirectoryVolumes(options.dataDir);

  /** Makes a handler record its calls and misbehave. */
  const watched =
    <Q extends object, R extends object>(method: string, work: (request: Q) => Promise<R> | R) =>
    async (request: Q): Promise<R> => {
      const call: CsiCallSeen = { method, request: request as Readonly<Record<string, unknown>> };
      calls.push(call);
      const how = driver.misbehave?.(call);
      if (how?.type === "Fail") throw new RpcError(method, how.code, how.text);
      if (how?.type === "Hang") return new Promise<R>(() => undefined);
      if (how?.type === "Lie") return {} as R;
      const response = await work(request);
      if (how?.type === "FailAfterwards") throw new RpcError(method, "Internal", how.text);
      return response;
    };

  const driver: DirectoryDriver = {
    calls,
    attached,
    misbehave: undefined,
    handlers: {
      identity: {
        getPluginInfo: () => ({ name: options.name, vendorVersion: "1" }),
        probe: () => ({ ready: { value: true } }),
      },
      controller: {
        controllerGetCapabilities: () => ({
          capabilities: (["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME", "EXPAND_VOLUME"] as const).map(
            (type) => ({
              rpc: { type },
            }),
          ),
        }),
        createVolume: watched("CreateVolume", async ({ name, capacityRange }) => {
          const capacityBytes = capacityRange?.requiredBytes || mebibyte;
          await volumes.create(name, capacityBytes);
          return { volume: { volumeId: name, capacityBytes, volumeContext: { kind: "directory" } } };
        }),
        deleteVolume: watched("DeleteVolume", async ({ volumeId }) => {
          await volumes.remove(volumeId);
          return {};
        }),
        controllerPublishVolume: watched("ControllerPublishVolume", ({ volumeId, nodeId }) => {
          attached.add(volumeId);
          return { publishContext: { attachedTo: nodeId } };
        }),
        controllerUnpublishVolume: watched("ControllerUnpublishVolume", ({ volumeId }) => {
          attached.delete(volumeId);
          return {};
        }),
        controllerExpandVolume: watched("ControllerExpandVolume", async ({ volumeId, capacityRange }) => {
          const capacityBytes = capacityRange?.requiredBytes ?? 0;
          volumes.pathOf(volumeId);
          return { capacityBytes, nodeExpansionRequired: true };
        }),
      },
      node: nodeHandlers(options, volumes, watched),
    },
  };
  return driver;
}

type Watched = <Q extends object, R extends object>(
  method: string,
  work: (request: Q) => Promise<R> | R,
) => (request: Q) => Promise<R>;

function nodeHandlers(
  options: DirectoryDriverOptions,
  volumes: DirectoryVolumes,
  watched: Watched,
): CsiHandlers["node"] {
  const { nodeId, maxVolumes = 0, topology, capabilities = defaultCapabilities, device = "/dev/zero" } = options;
  const isStaged = capabilities.includes("STAGE_UNSTAGE_VOLUME");
  return {
    nodeGetInfo: () => ({
      nodeId,
      maxVolumesPerNode: maxVolumes,
      ...(topology && { accessibleTopology: { segments: topology } }),
    }),
    nodeGetCapabilities: () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
    nodeStageVolume: watched("NodeStageVolume", async ({ volumeId, stagingTargetPath, volumeCapability }) => {
      if (!existsSync(stagingTargetPath)) throw new RpcError("NodeStageVolume", "InvalidArgument", "no staging path");
      if (volumeCapability?.block === undefined) await bind(volumes.pathOf(volumeId), stagingTargetPath);
      return {};
    }),
    nodeUnstageVolume: watched("NodeUnstageVolume", async ({ stagingTargetPath }) => {
      await unbind(stagingTargetPath, { keep: true });
      return {};
    }),
    nodePublishVolume: watched("NodePublishVolume", async (request) => {
      const { volumeId, targetPath, stagingTargetPath, volumeCapability, volumeContext } = request;
      if (volumeCapability?.block !== undefined) {
        if (!existsSync(targetPath)) await writeFile(targetPath, "");
        await bind(device, targetPath);
        return {};
      }
      const inline = volumeId.startsWith("csi-");
      if (inline) await volumes.create(volumeId, mebibyte);
      // For the tests, so that a pod sees what its driver has been told.
      if (inline) await writeFile(join(volumes.pathOf(volumeId), "context.json"), JSON.stringify(volumeContext));
      await mkdir(targetPath, { recursive: true });
      await bind(isStaged && !inline ? stagingTargetPath : volumes.pathOf(volumeId), targetPath);
      return {};
    }),
    nodeUnpublishVolume: watched("NodeUnpublishVolume", async ({ volumeId, targetPath }) => {
      await unbind(targetPath, { keep: false });
      if (volumeId.startsWith("csi-")) await volumes.remove(volumeId);
      return {};
    }),
    nodeExpandVolume: watched("NodeExpandVolume", async ({ volumeId, capacityRange }) => {
      const capacityBytes = capacityRange?.requiredBytes ?? 0;
      await volumes.resize(volumeId, capacityBytes);
      return { capacityBytes };
    }),
    nodeGetVolumeStats: async ({ volumeId, volumePath }) => {
      if (!existsSync(volumePath)) throw new RpcError("NodeGetVolumeStats", "NotFound", `no volume at ${volumePath}`);
      const total = await volumes.capacityOf(volumeId);
      const { used, inodes } = volumes.usageOf(volumeId);
      return {
        usage: [
          { unit: "BYTES", total, used, available: total - used },
          { unit: "INODES", total: 1000, used: inodes, available: 1000 - inodes },
        ],
      };
    },
  };
}

/** The contents and sizes of volumes. */
class DirectoryVolumes {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The content of a volume. @throws RpcError NotFound */
  pathOf(id: string): string {
    const path = this.#path(id);
    if (!existsSync(path)) throw new RpcError("", "NotFound", `volume ${id} does not exist`);
    return path;
  }

  async create(id: string, capacityBytes: number): Promise<void> {
    await mkdir(this.#path(id), { recursive: true });
    if (!existsSync(this.#sizeFile(id))) await this.resize(id, capacityBytes);
  }

  async resize(id: string, capacityBytes: number): Promise<void> {
    await writeFile(this.#sizeFile(id), String(capacityBytes));
  }

  async capacityOf(id: string): Promise<number> {
    return Number(await readFile(this.#sizeFile(id), "utf8"));
  }

  usageOf(id: string): { readonly used: number; readonly inodes: number } {
    const names = readdirSync(this.pathOf(id));
    return { used: names.length * 4096, inodes: names.length + 1 };
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { recursive: true, force: true });
    await rm(this.#sizeFile(id), { force: true });
  }

  #path(id: string): string {
    if (!/^[\w.-]{1,200}$/.test(id))
      throw new RpcError("", "InvalidArgument", `invalid volume id ${JSON.stringify(id)}`);
    return join(this.#dir, "volumes", id);
  }

  #sizeFile = (id: string): string => join(dirname(dirname(this.#path(id))), `${id}.size`);
}

/** Bind mounts once. */
async function bind(source: string, target: string): Promise<void> {
  if (await isMounted(target)) return;
  const opened = await open(source, O_PATH);
  try {
    await bindMount(opened, target);
  } finally {
    await opened.close();
  }
}

/** Unmounts, and removes the mount point unless it is to be kept. */
async function unbind(target: string, { keep }: { readonly keep: boolean }): Promise<void> {
  if ((await lstat(target).catch(() => undefined)) === undefined) return;
  while (await isMounted(target)) await unmount(target);
  if (!keep) await ((await stat(target)).isDirectory() ? rmdir : unlink)(target);
}
