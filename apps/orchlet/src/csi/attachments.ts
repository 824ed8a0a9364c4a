import { storage } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { attachmentName, uniqueVolumeName } from "@orchernetes/component-helpers";
import type { Clock } from "@orchernetes/kernel";
import type { CsiVolume } from "./csi-volume.ts";
import type { VolumesInUse } from "./volumes-in-use.ts";

/** Metadata that the driver's attacher passes to the node, such as the path of a device. */
export type PublishContext = Readonly<Record<string, string>>;

/** The objects of this node on the API server. */
export interface ShownNode {
  readonly volumesInUse: readonly string[];
  readonly volumesAttached: readonly string[];
}

/** Waits for volumes that a controller attaches. */
export interface Attachments {
  /**
   * Announces that the volume is in use, and waits until it is attached.
   *
   * @throws Error if that takes longer than 20 seconds; the caller tries again
   */
  attached(volume: CsiVolume, signal: AbortSignal): Promise<PublishContext>;
}

/** Longest wait of one attempt, in milliseconds. The pod's worker can do nothing else meanwhile. */
const maxWaitMs = 20_000;
const firstPollMs = 100;
const maxPollMs = 1000;

/** Creates the {@link Attachments} of a node. @param shown the node as the API server last showed it */
export function createAttachments(options: {
  readonly client: Client;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly inUse: VolumesInUse;
  readonly shown: () => ShownNode;
}): Attachments {
  const { client, nodeName, clock, inUse, shown } = options;
  const attachments = client.resource(storage.volumeAttachments);

  /** The context of an attached volume, or what is missing. */
  const look = async (volume: CsiVolume, signal: AbortSignal): Promise<PublishContext | string> => {
    const unique = uniqueVolumeName(volume);
    const { volumesInUse, volumesAttached } = shown();
    // The controller may detach a volume until it has seen that it is in use.
    if (!volumesInUse.includes(unique))
      return "the volume has not been added to the list of volumesInUse in the node's status";
    const name = attachmentName(volume, nodeName);
    const found = await attachments.get(name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found === undefined) return `volume attachment ${name} does not exist: the controller attachdetach creates it`;
    const { attached, attachError, attachmentMetadata = {} } = found.status ?? {};
    if (found.metadata.deletionTimestamp !== undefined) return `volume attachment ${name} is being deleted`;
    if (attachError?.message) return attachError.message;
    if (!attached)
      return `waiting for the external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`;
    if (!volumesAttached.includes(unique)) return "the volume is not attached yet according to the node's status";
    return attachmentMetadata;
  };

  return {
    async attached(volume, signal) {
      inUse.add(uniqueVolumeName(volume));
      const endMs = clock.monotonicMs() + maxWaitMs;
      for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 2, maxPollMs)) {
        const outcome = await look(volume, signal);
        if (typeof outcome !== "string") return outcome;
        if (clock.monotonicMs() >= endMs) throw new Error(outcome);
        await clock.sleep(pollMs, signal);
      }
    },
  };
}
