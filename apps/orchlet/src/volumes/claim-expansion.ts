import { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { BoundClaim } from "./plugins/persistent-volume.ts";

/** Whether the volume is larger than the claim says: its file system is to be enlarged on the node (KEP-284). */
export function needsExpansion({ claim, volume }: BoundClaim): boolean {
  const shown = claim.status?.capacity?.storage;
  const size = volume.spec.capacity?.storage;
  return shown !== undefined && size !== undefined && wholeValueOf(size) > wholeValueOf(shown);
}

/** Records that the file system of a claim has the size of its volume. @throws ApiError */
export async function recordExpansion(client: Client, { claim, volume }: BoundClaim): Promise<void> {
  const { name, namespace = "", resourceVersion } = claim.metadata;
  const conditions = (claim.status?.conditions ?? []).filter(
    ({ type }) => type !== "Resizing" && type !== "FileSystemResizePending",
  );
  const status = { capacity: { storage: volume.spec.capacity?.storage ?? "0" }, conditions };
  await client
    .resource(core.persistentVolumeClaims)
    .namespace(namespace)
    .patch(name, { metadata: { resourceVersion }, status }, { type: "merge", subresource: "status" });
}
