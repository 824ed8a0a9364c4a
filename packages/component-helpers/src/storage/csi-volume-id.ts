import { createHash } from "node:crypto";

/** What identifies a volume of a CSI driver in the whole cluster. */
export interface CsiVolumeId {
  readonly driver: string;
  readonly handle: string;
}

/** Name of the VolumeAttachment of a volume and a node. The same for every manager, so that no volume is attached twice. */
export function attachmentName({ driver, handle }: CsiVolumeId, node: string): string {
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;
}

/** The name under which a node's status lists the volume as attached or in use. */
export const uniqueVolumeName = ({ driver, handle }: CsiVolumeId): string => `orchernetes.io/csi/${driver}^${handle}`;
