import { join } from "node:path";
import type { Metrics } from "@orchernetes/component";
import { folderUsage } from "../stats/host/file-system-usage.ts";
import type { PodIdentity } from "../types/pod-identity.ts";

/** A pod whose logs are measured. */
interface LoggingPod {
  readonly identity: PodIdentity;
  /** Names of its containers. */
  readonly containers: readonly string[];
}

/**
 * Adds the metric of the disk usage of logs.
 *
 * @param folder of the logs of a pod, with one folder for each container
 * @returns what reads the folders, before the page is
 */
export function addLogMetrics(
  metrics: Metrics,
  pods: () => readonly LoggingPod[],
  folder: (pod: PodIdentity) => string,
): () => Promise<void> {
  const used = metrics.gauge({
    name: "orchlet_container_log_filesystem_used_bytes",
    help: "Bytes used by the container's logs on the filesystem.",
    labelNames: ["uid", "namespace", "pod", "container"],
  });
  return async () => {
    const read: (readonly [bytes: number, labels: readonly [string, string, string, string]])[] = [];
    for (const { identity, containers } of pods()) {
      const { uid, namespace, name } = identity;
      for (const container of containers) {
        const { usedBytes } = await folderUsage(join(folder(identity), container));
        if (usedBytes > 0) read.push([usedBytes, [uid, namespace, name, container]]);
      }
    }
    used.reset();
    for (const [bytes, labels] of read) used.set(bytes, labels);
  };
}
