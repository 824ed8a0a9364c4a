import { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { localPathOf, reclaimAnnotation, reclaimRequests } from "@orchernetes/component-helpers";
import { type Logger, messageOf } from "@orchernetes/kernel";
import type { Paths } from "../../util/paths.ts";
import { isReadyElsewhere, localPlugin } from "../setup/ready-mark.ts";
import { removeLocalPath } from "./local-path.ts";

/** Removes the folders of volumes on request. */
export interface LocalPathReclaimer {
  /** Carries out the requests among the annotations of the node, each once at a time. Never throws. */
  observe(annotations: Readonly<Record<string, string>> | undefined): void;
}

/** What the reclaimer works with. */
export interface LocalPathReclaimerOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly paths: Paths;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Limit of an error in the annotation, in characters. */
const maxErrorLength = 256;

/**
 * Creates the reclaimer. A request is an empty annotation of the node. When the folder is removed, so is the annotation;
 * if that fails, its value becomes the error, and the controller asks again later. Requests are carried out one after
 * the other, so that large folders do not take all of the disk's time.
 */
export function createLocalPathReclaimer(options: LocalPathReclaimerOptions): LocalPathReclaimer {
  const { logger, signal } = options;
  const accepted = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  return {
    observe(annotations) {
      for (const [volume, value] of reclaimRequests(annotations)) {
        if (value !== "" || accepted.has(volume)) continue;
        accepted.add(volume);
        last = last
          .then(() => (signal.aborted ? undefined : reclaim(volume, options)))
          // The request stays, and every change of the node leads to another attempt.
          .catch((error: unknown) => signal.aborted || logger.error(error, "Answering a request failed", { volume }))
          .then(() => void accepted.delete(volume));
      }
    },
  };
}

/** Removes a folder, and reports the outcome. @throws ApiError */
async function reclaim(volume: string, options: LocalPathReclaimerOptions): Promise<void> {
  const { client, nodeName, logger, signal } = options;
  let outcome: string | null = null;
  try {
    await removeUnused(volume, options);
    logger.info("Removed the folder of a volume", { volume });
  } catch (error) {
    logger.error(error, "Removing the folder of a volume failed", { volume });
    outcome = messageOf(error).slice(0, maxErrorLength) || "unknown error";
  }
  const patch = { metadata: { annotations: { [reclaimAnnotation(volume)]: outcome } } };
  await client
    .resource(core.nodes)
    .patch(nodeName, patch, { type: "merge", signal })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

async function removeUnused(volume: string, { paths }: LocalPathReclaimerOptions): Promise<void> {
  // A pod that was deleted without waiting for its containers may still run.
  if (await isReadyElsewhere(paths, "", localPlugin, localPathOf(paths.localVolumes, volume)))
    throw new Error("a pod on the node still uses the volume");
  await removeLocalPath(paths.localVolumes, volume);
}
