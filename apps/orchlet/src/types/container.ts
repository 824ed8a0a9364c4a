import { createHash } from "node:crypto";
import type { core } from "@orchernetes/api";

/** By container object: every sync of a pod needs the hashes of its containers, and the pod has rarely changed since the last one. */
const hashes = new WeakMap<core.Container, string>();

/**
 * A hash of the container's definition. If it differs from that of a running container, the container is replaced. The
 * image is compared by its name, not by its content.
 */
export function containerHash(container: core.Container): string {
  const known = hashes.get(container);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(stableJson(container)).digest("hex").slice(0, 16);
  hashes.set(container, hash);
  return hash;
}

/** JSON with sorted keys, which is the same for equal objects. Absent and undefined members are equal. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/**
 * Whether the pod's restart policy allows a container in this state to be started. A container that was created but
 * never started has not run yet, so every policy allows it.
 */
export function mayStart(
  latest: { readonly phase: string; readonly exitCode: number } | undefined,
  restartPolicy: NonNullable<core.PodSpec["restartPolicy"]>,
): boolean {
  if (latest === undefined || latest.phase === "created" || latest.phase === "unknown") return true;
  if (latest.phase === "running") return false;
  if (restartPolicy === "OnFailure") return latest.exitCode !== 0;
  return restartPolicy === "Always";
}
