import { lstat } from "node:fs/promises";
import { type CriClient, containerStates, type ListedContainer } from "@orchernetes/cri";
import type { Clock } from "@orchernetes/kernel";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../runtime/labels.ts";
import { forEachDespiteErrors } from "../util/for-each-despite-errors.ts";
import type { Paths } from "../util/paths.ts";
import { type LinkedContainer, syncLogLinks } from "./container-log-links.ts";
import { isMissingOrFull, rotateLog } from "./rotate-logs.ts";

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
  const known = new Map<string, LinkedContainer>();
  const logOf = async ({ id, labels }: ListedContainer): Promise<LinkedContainer | undefined> => {
    const { [podNameLabel]: pod = "", [podNamespaceLabel]: namespace = "", [containerNameLabel]: name = "" } = labels;
    if (labels[podUidLabel] === undefined) return undefined;
    const { status } = await cri.runtime.containerStatus({ containerId: id });
    const logPath = status?.logPath ?? "";
    return logPath === "" ? undefined : { pod, namespace, name, id, logPath };
  };
  return async () => {
    const { containers } = await cri.runtime.listContainers(
      { filter: { state: { state: "CONTAINER_RUNNING" } } },
      { view: containersView },
    );
    const running = new Set(containers.map(({ id }) => id));
    for (const id of known.keys()) if (!running.has(id)) known.delete(id);
    let isResponding = false;
    await forEachDespiteErrors(containers, async (container) => {
      const log = known.get(container.id) ?? (await logOf(container));
      if (log === undefined) return;
      known.set(log.id, log);
      // A synchronous lstat costs a tenth of an asynchronous one. The first one is asynchronous nevertheless: waiting for a file system that
      // does not respond must not block the event loop.
      if (!isResponding) await lstat(log.logPath).catch(() => undefined);
      isResponding = true;
      if (!isMissingOrFull(log.logPath, maxBytes)) return;
      await rotateLog(log.logPath, {
        maxBytes,
        maxFiles,
        now: clock.now(),
        reopen: async () => void (await cri.runtime.reopenContainerLog({ containerId: log.id })),
      });
    });
    if (paths.containerLogs !== undefined) await syncLogLinks(paths.containerLogs, paths.podLogs, [...known.values()]);
  };
}
