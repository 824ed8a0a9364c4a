import type { core } from "@orchernetes/api";
import { type Quantity, quantityOf } from "@orchernetes/apimachinery";
import { podLimits } from "@orchernetes/component-helpers";
import type { PodUse } from "../stats/summary/pod-use.ts";

/** A limit on local storage that a pod has exceeded. */
export interface ExceededLimit {
  /** As the metric of evictions names it. */
  readonly signal: "emptydirfs.limit" | "ephemeralpodfs.limit" | "ephemeralcontainerfs.limit";
  /** The original's. */
  readonly message: string;
}

const resource = "ephemeral-storage";

/** Whether a pod limits what it writes to the node's disks. */
export function limitsLocalStorage({ spec }: core.Pod): boolean {
  return (
    (spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) ||
    [...spec.containers, ...(spec.initContainers ?? [])].some(
      ({ resources }) => resources?.limits?.[resource] !== undefined,
    )
  );
}

/**
 * The limit on local storage that a pod exceeds: the size limit of an emptyDir volume; the limits of all containers together, for what the
 * whole pod has written; and the limit of one container, for its layer and its logs. Pure.
 *
 * @param hasImageDisk whether the layers of containers are on another file system than their logs: only the logs count then
 */
export function exceededLimit(
  pod: core.Pod,
  use: PodUse,
  { hasImageDisk }: { readonly hasImageDisk: boolean },
): ExceededLimit | undefined {
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit === undefined ? undefined : quantityOf(emptyDir.sizeLimit);
    const used = use.volumes.get(name)?.usedBytes;
    if (limit !== undefined && used !== undefined && limit.sign > 0 && isAbove(used, limit))
      return {
        signal: "emptydirfs.limit",
        message: `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `,
      };
  }
  const total = podLimits(pod.spec).get(resource);
  if (total !== undefined && isAbove(use.ephemeral.usedBytes, total))
    return {
      signal: "ephemeralpodfs.limit",
      message: `Pod ephemeral local storage usage exceeds the total limit of containers ${total}. `,
    };
  for (const { name, rootfs, logs } of use.containers) {
    const text = pod.spec.containers.find((container) => container.name === name)?.resources?.limits?.[resource];
    const limit = text === undefined ? undefined : quantityOf(text);
    const used = logs.usedBytes + (hasImageDisk ? 0 : rootfs.usedBytes);
    if (limit !== undefined && !limit.isZero && isAbove(used, limit))
      return {
        signal: "ephemeralcontainerfs.limit",
        message: `Container ${name} exceeded its local ephemeral storage limit "${limit}". `,
      };
  }
  return undefined;
}

const isAbove = (bytes: number, limit: Quantity): boolean => BigInt(Math.ceil(bytes)) * 1_000_000_000n > limit.nanos;
