import { join, normalize } from "node:path/posix";

/**
 * The names by which the provisioner of local paths, a part of the controller of persistent volumes, and the node agents
 * work together. The controller is not on the node, and an agent must not read arbitrary volumes. So all requests pass
 * through the Node object, which both may read and write: the agent announces its folder there, and the controller adds
 * an annotation for each volume whose folder the agent is to remove, which the agent removes when that is done.
 */
export const localPathProvisioner = "orchernetes.io/local-path";

/** On a node: the folder in which its agent creates the folders of volumes. */
export const localPathFolder = "volume.orchernetes.io/local-path-folder";

/** On a volume: name of the node that has its folder. */
export const localPathNode = "volume.orchernetes.io/local-path-node";

/** Prefix of the annotations of a node that ask its agent to remove the folder of a volume; the volume's name follows. */
const reclaimPrefix = "reclaim.local-path.orchernetes.io/";

/** The annotation of a node that asks for the removal of a volume's folder: "" until the agent has tried, then its error. */
export const reclaimAnnotation = (volume: string): string => `${reclaimPrefix}${volume}`;

/** The volumes whose folders a node's agent has been asked to remove, with the values of the annotations. */
export function reclaimRequests(
  annotations: Readonly<Record<string, string>> | undefined,
): readonly (readonly [volume: string, value: string])[] {
  return Object.entries(annotations ?? {})
    .filter(([key]) => key.startsWith(reclaimPrefix))
    .map(([key, value]) => [key.slice(reclaimPrefix.length), value]);
}

const provisionedName = /^pvc-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Whether a volume has a name that the provisioner gives: `pvc-` and the uid of the claim. Only folders with such names
 * are created and removed, so that no name can lead out of the folder of volumes.
 */
export const isLocalPathName = (volume: string): boolean => provisionedName.test(volume);

/** Whether a node's folder of volumes can be one: an absolute path without "." and "..", and not the root. */
export const isLocalPathFolder = (path: string): boolean =>
  path.length <= 4096 && path.startsWith("/") && path !== "/" && !path.endsWith("/") && normalize(path) === path;

/** The path of a volume's folder. */
export const localPathOf = (folder: string, volume: string): string => join(folder, volume);
