import type { core } from "@orchernetes/api";
import type { CsiVolumeId } from "@orchernetes/component-helpers";

export { attachmentName, type CsiVolumeId as CsiVolume, uniqueVolumeName } from "@orchernetes/component-helpers";

/** The CSI volume of a specification; undefined for any other kind, which nobody attaches. */
export function csiVolumeOf({ csi }: core.PersistentVolumeSpec): CsiVolumeId | undefined {
  return csi === undefined ? undefined : { driver: csi.driver, handle: csi.volumeHandle };
}

const prefix = "orchernetes.io/csi/";

/** The volume of a name in a node's status; undefined for volumes of other kinds, which others attach. */
export function parseUniqueName(name: string): CsiVolumeId | undefined {
  const end = name.indexOf("^");
  if (!name.startsWith(prefix) || end < 0) return undefined;
  return { driver: name.slice(prefix.length, end), handle: name.slice(end + 1) };
}
