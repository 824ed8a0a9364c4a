import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import { join } from "node:path";

/** Folder of the shim sockets of all containerds on the host. */
const shimFolder = "/run/containerd/s";
/** The containerd namespace of its CRI plugin. */
export const criNamespace = "k8s.io";

/** The socket of the shim that runs a sandbox for the containerd on the given socket. */
export function shimSocket(containerd: string, sandboxId: string): string {
  return join(
    shimFolder,
    createHash("sha256")
      .update(join(containerd, criNamespace, sandboxId))
      .digest("hex"),
  );
}

/** Deletes the sockets of killed shims, since containerd deletes only those of shims that exit normally. Idempotent. */
export async function releaseShims(containerd: string, sandboxIds: readonly string[]): Promise<void> {
  for (const id of sandboxIds) await unlink(shimSocket(containerd, id)).catch(() => undefined);
}
