import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import { join } from "node:path";

/** Where every containerd of the host has its shims listen. */
const shimFolder = "/run/containerd/s";
/** containerd's namespace of all that CRI makes. */
const criNamespace = "k8s.io";

/** The socket of the shim that runs a sandbox for the containerd on the given socket. */
export function shimSocket(containerd: string, sandboxId: string): string {
  return join(
    shimFolder,
    createHash("sha256")
      .update(join(containerd, criNamespace, sandboxId))
      .digest("hex"),
  );
}

/** Deletes the sockets of shims that were killed: containerd deletes only those of shims that end by themselves. Idempotent. */
export async function releaseShims(containerd: string, sandboxIds: readonly string[]): Promise<void> {
  for (const id of sandboxIds) await unlink(shimSocket(containerd, id)).catch(() => undefined);
}
