import {
  bool,
  type Infer,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { PersistentVolumeSpec } from "../../../core/v1/types/persistent-volume.ts";

const pkg = "storage/v1";

export const VolumeAttachment = object(pkg, "VolumeAttachment", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, VolumeAttachmentSpec),
  status: value(3, VolumeAttachmentStatus),
}));
export interface VolumeAttachment extends Infer<typeof VolumeAttachment> {}

export const VolumeAttachmentList = object(pkg, "VolumeAttachmentList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(VolumeAttachment)),
}));
export interface VolumeAttachmentList extends Infer<typeof VolumeAttachmentList> {}

export const VolumeAttachmentSpec = message(pkg, "VolumeAttachmentSpec", () => ({
  attacher: required(1, string),
  source: required(2, VolumeAttachmentSource),
  nodeName: required(3, string),
}));
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

export const VolumeAttachmentSource = message(pkg, "VolumeAttachmentSource", () => ({
  persistentVolumeName: pointer(1, string),
  inlineVolumeSpec: pointer(2, PersistentVolumeSpec),
}));
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

export const VolumeAttachmentStatus = message(pkg, "VolumeAttachmentStatus", () => ({
  attached: required(1, bool),
  attachmentMetadata: optional(2, mapOf(string)),
  attachError: pointer(3, VolumeError),
  detachError: pointer(4, VolumeError),
}));
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

export const VolumeError = message(pkg, "VolumeError", () => ({
  time: optional(1, time),
  message: optional(2, string),
}));
export interface VolumeError extends Infer<typeof VolumeError> {}
