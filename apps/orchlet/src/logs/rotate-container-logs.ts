import { type CriClient, containerStates } from "@orchernetes/cri";
import type { Clock } from "@orchernetes/kernel";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../runtime/labels.ts";
import { forEachDespiteErrors } from "../util/for-each-despite-errors.ts";
import type { Paths } from "../util/paths.ts";
import { type LinkedContainer, syncLogLinks } from "./container-log-links.ts";
import { rotateLog } from "./rotate-logs.ts";

const containersView = containerStates(podUidLabel, podNameLabel, podNamespaceLabel, containerNameLabel);

/** Where logs are, and how large they may become. */
export interface LogRotationOptions {
  readonly cri: CriClient;
  readonly clock: Pick<Clock, "now">;
  readonly paths: Pick<Paths, "containerLogs" | "podLogs">;
  readonly maxBytes: number;
  /** Maximum number of files of a container, including the current one; at least 2. */
  readonly maxFiles: number;
}

/**
 * Creates a function that rotates the logs of running containers, and links them where collectors of logs look. The runtime is asked once
 * for each container where its log is: that does not change, and the question is asked every few seconds for every container of the node.
 *
 * The function throws an AggregateError of all failures, after the last container.
 */
export function createLogRotation(options: LogRotationOptions): () => Promise<void> {
  const { cri, clock, paths, maxBytes, maxFiles } = options;
  const known = new Map<string, string>();
  const logPathOf = async (id: string): Promise<string> => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const { status } = await cri.runtime.containerStatus({ containerId: id });
    const path = status?.logPath ?? "";
    if (path !== "") known.set(id, path);
    return path;
  };
  return async () => {
    const { containers } = await cri.runtime.listContainers(
      { filter: { state: { state: "CONTAINER_RUNNING" } } },
      { view: containersView },
    );
    const ours = containers.flatMap(({ id, labels }) => (labels[podUidLabel] === undefined ? [] : [{ id, labels }]));
    const running = new Set(ours.map(({ id }) => id));
    for (const id of known.keys()) if (!running.has(id)) known.delete(id);
    const linked: LinkedContainer[] = [];
    await forEachDespiteErrors(ours, async ({ id, labels }) => {
      const logPath = await logPathOf(id);
      if (logPath === "") return;
      const { [podNameLabel]: pod = "", [podNamespaceLabel]: namespace = "", [containerNameLabel]: name = "" } = labels;
      linked.push({ pod, namespace, name, id, logPath });
      await rotateLog(logPath, {
        maxBytes,
        maxFiles,
        now: clock.now(),
        reopen: async () => void (await cri.runtime.reopenContainerLog({ containerId: id })),
      });
    });
    if (paths.containerLogs !== undefined) await syncLogLinks(paths.containerLogs, paths.podLogs, linked);
  };
}
