import type { core, storage } from "@orchernetes/api";
import { attachmentName, type CsiVolume, csiVolumeOf, parseUniqueName, uniqueVolumeName } from "./names.ts";

/** Key of the volume of an attachment: the name of the PersistentVolume, or the unique name of a volume of pods. */
export function keyOfAttachment({ spec: { source } }: storage.VolumeAttachment): string | undefined {
  if (source.persistentVolumeName !== undefined) return source.persistentVolumeName;
  const volume = source.inlineVolumeSpec && csiVolumeOf(source.inlineVolumeSpec);
  return volume && uniqueVolumeName(volume);
}

/**
 * The volume of an attachment whose PersistentVolume is gone, by what the node reports: attachments are named after the
 * volume and the node. Undefined if the node reports nothing that fits.
 */
export function volumeOfStatus(
  { metadata, spec }: storage.VolumeAttachment,
  node: core.Node | undefined,
): CsiVolume | undefined {
  const { volumesAttached = [], volumesInUse = [] } = node?.status ?? {};
  return [...volumesAttached.map(({ name }) => name), ...volumesInUse]
    .map(parseUniqueName)
    .find((volume) => volume && attachmentName(volume, spec.nodeName) === metadata.name);
}
