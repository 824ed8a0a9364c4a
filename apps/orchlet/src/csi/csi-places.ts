import { join } from "node:path";
import type { Paths } from "../util/paths.ts";
import { csiPlugin, stagingFolder } from "./volume-record.ts";

/** The paths of a volume on the node. */
export interface CsiPlaces {
  /** The folder of the pod's record. */
  readonly folder: string;
  /** Where the driver publishes the volume for the pod: a folder, or the file of a device. */
  readonly target: string;
  /** The folder of the record of the staged volume. */
  readonly stagingFolder: string;
  /** Where the driver stages the volume for all pods. */
  readonly staging: string;
}

/** The paths of a volume of a pod. */
export function placesOf(
  paths: Paths,
  uid: string,
  volume: { readonly name: string; readonly driver: string; readonly handle: string; readonly block: boolean },
): CsiPlaces {
  const folder = paths.volume(uid, csiPlugin, volume.name);
  const parent = stagingFolder(paths, volume.driver, volume.handle);
  return {
    folder,
    target: volume.block ? paths.volumeDevice(uid, csiPlugin, volume.name) : mountOf(folder),
    stagingFolder: parent,
    staging: stagingOf(parent),
  };
}

/** Where a volume is mounted for a pod, by the folder of its record. */
export const mountOf = (folder: string): string => join(folder, "mount");

/** Where a volume is staged, by the folder of its record. */
export const stagingOf = (folder: string): string => join(folder, "globalmount");
