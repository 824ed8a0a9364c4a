import type { FileSystemSpace } from "@orchernetes/host";
import { ImageGarbage } from "../images/image-garbage.ts";
import { collectContainers, collectSandboxes } from "../runtime/collect-garbage.ts";
import { nodeStorage } from "../stats/summary/node-storage.ts";
import type { AgentApi, AgentHost } from "./agent-host.ts";
import { nodeReference } from "./agent-node.ts";
import type { AgentPods } from "./agent-pods.ts";

/** Garbage collection of images and containers: periodically, and when the node runs out of disk space. */
export interface AgentGarbage {
  readonly images: ImageGarbage;
  /** Removes exited containers beyond those that the configuration keeps, those of evicted pods, and dead sandboxes. @throws AggregateError of all failures */
  collectContainers(): Promise<void>;
  /** Removes all containers of terminated pods, too. @throws AggregateError of all failures */
  removeDeadContainers(): Promise<void>;
}

/** Creates the collectors of the node's images and containers. */
export function createGarbage(
  host: Pick<AgentHost, "config" | "cri" | "clock" | "logger">,
  api: Pick<AgentApi, "events"> | undefined,
  pods: Pick<AgentPods, "manager" | "reader" | "usage">,
): AgentGarbage {
  const { config, cri, clock, logger } = host;
  const { settings } = config;
  const { manager, reader, usage } = pods;
  const policy = {
    perContainer: config.deadContainersPerContainer,
    total: config.deadContainers ?? -1,
    minAgeMs: config.deadContainerMinAgeMs ?? 0,
  };
  const collect = async (isOver: (uid: string) => boolean): Promise<void> => {
    reader.forget(await collectContainers(cri, policy, clock.nowMs(), isOver));
    await collectSandboxes(cri, isOver);
  };
  return {
    images: new ImageGarbage({
      cri,
      clock,
      logger,
      policy: {
        highPercent: settings.imageGCHighThresholdPercent,
        lowPercent: settings.imageGCLowThresholdPercent,
        minimumAgeMs: settings.imageMinimumGCAge,
      },
      async space(): Promise<FileSystemSpace> {
        const { image } = await nodeStorage(usage);
        if (image === undefined) throw new Error("the file system of images does not answer");
        return image;
      },
      // The sandbox image belongs to no container, but every pod needs it.
      isKept: (tags) => tags.some((tag) => tag === config.sandboxImage || /(^|\/)pause:/.test(tag)),
      recordNodeEvent: nodeWarnings(config.nodeName, api),
    }),
    collectContainers: () => collect((uid) => manager.get(uid)?.isEvicted === true),
    removeDeadContainers: () => collect((uid) => manager.get(uid)?.isOver === true),
  };
}

/** Records warnings about the node. */
export const nodeWarnings =
  (nodeName: string, api: Pick<AgentApi, "events"> | undefined) =>
  (reason: string, message: string): void =>
    api?.events.event(nodeReference(nodeName), "Warning", reason, message);
