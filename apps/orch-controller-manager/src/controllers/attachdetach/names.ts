import { createHash } from "node:crypto";
import type { Volume } from "@orchernetes/component-helpers";

/** A volume of a CSI driver. */
export interface CsiVolume {
  readonly driver: string;
  readonly handle: string;
}

/** The CSI volume of a PersistentVolume; undefined for any other kind, which nobody attaches. */
export function csiVolumeOf({ spec: { csi } }: Volume): CsiVolume | undefined {
  return csi === undefined ? undefined : { driver: csi.driver, handle: csi.volumeHandle };
}

/** Name of the VolumeAttachment of a volume and a node. The same for every manager, so that no volume is attached twice. */
export function attachmentName({ driver, handle }: CsiVolume, node: string): string {
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}

/** The name under which a node's status lists the volume as attached or in use. */
export const uniqueVolumeName = ({ driver, handle }: CsiVolume): string => `orchernetes.io/csi/${driver}^${handle}`;
