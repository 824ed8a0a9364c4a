import { createHash } from "node:crypto";
import type { core } from "@orchernetes/api";

/** A volume of a CSI driver. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** The CSI volume of a specification; undefined for any other kind, which nobody attaches. */
export function csiVolumeOf({ csi }: core.PersistentVolumeSpec): CsiVolume | undefined {
  return csi === undefined ? undefined : { driver: csi.driver, handle: csi.volumeHandle };
}

/** Name of the VolumeAttachment of a volume and a node. The same for every manager, so that no volume is attached twice. */
export function attachmentName({ driver, handle }: CsiVolume, node: string): string {
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}

const prefix = "orchernetes.io/csi/";

/** The name under which a node's status lists the volume as attached or in use. */
export const uniqueVolumeName = ({ driver, handle }: CsiVolume): string => `${prefix}${driver}^${handle}`;

/** The volume of a name in a node's status; undefined for volumes of other kinds, which others attach. */
export function parseUniqueName(name: string): CsiVolume | undefined {
  const end = name.indexOf("^");
  if (!name.startsWith(prefix) || end < 0) return undefined;
  return { driver: name.slice(prefix.length, end), handle: name.slice(end + 1) };
}
