import {
  bool,
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  isDns1123Subdomain,
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
import { PersistentVolumeSpec } from "../../core/v1/types/persistent-volume.ts";
import { validateInlineVolumeSpec } from "../../core/v1/validation/inline-volume-spec.ts";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { age, booleanColumn, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { immutable } from "../../shared/immutable.ts";
import { report } from "../../shared/report.ts";

const pkg = "storage/v1";

/** The intent to attach a volume to a node; its deletion is the intent to detach it. A CSI attacher acts on it. */
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

/** The intent to attach a volume. */
export const VolumeAttachmentSpec = message(pkg, "VolumeAttachmentSpec", () => ({
  attacher: required(1, string),
  source: required(2, VolumeAttachmentSource),
  nodeName: required(3, string),
}));
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

/** The volume to attach: exactly one of its members. */
export const VolumeAttachmentSource = message(pkg, "VolumeAttachmentSource", () => ({
  persistentVolumeName: pointer(1, string),
  inlineVolumeSpec: pointer(2, PersistentVolumeSpec),
}));
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

/** Progress of attaching, written by the attacher. */
export const VolumeAttachmentStatus = message(pkg, "VolumeAttachmentStatus", () => ({
  attached: required(1, bool),
  attachmentMetadata: optional(2, mapOf(string)),
  attachError: pointer(3, VolumeError),
  detachError: pointer(4, VolumeError),
}));
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

/** A failure of a volume operation. */
export const VolumeError = message(pkg, "VolumeError", () => ({
  time: optional(1, time),
  message: optional(2, string),
}));
export interface VolumeError extends Infer<typeof VolumeError> {}

// Limits of upstream, in bytes: errors and metadata are written by drivers, not by the cluster's own components.
const maxErrorBytes = 1024;
const maxMetadataBytes = 256 * 1024;

/** Validates what applies to new and stored objects: exactly one source, and the status. */
function validateVolumeAttachment(attachment: VolumeAttachment): FieldError[] {
  const { spec } = attachment;
  const path = field("spec");
  const errors: FieldError[] = spec.attacher === "" ? [field.required(path.child("attacher"))] : [];
  const { inlineVolumeSpec, persistentVolumeName } = spec.source;
  const source = path.child("source");
  if (inlineVolumeSpec === undefined && (persistentVolumeName === undefined || persistentVolumeName === "")) {
    const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    errors.push(field.required(source, detail));
  } else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) {
    const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    errors.push(field.forbidden(source, detail));
  } else if (inlineVolumeSpec !== undefined) {
    errors.push(...validateInlineVolumeSpec(inlineVolumeSpec, source.child("inlineVolumeSpec")));
  }
  report(errors, isDns1123Subdomain(spec.nodeName), path, "nodeName", spec.nodeName);
  return [...errors, ...validateStatus(attachment)];
}

/** Validates what applies only to new objects: older ones may break these rules. */
function validateNew({ spec }: VolumeAttachment): FieldError[] {
  const errors: FieldError[] = [];
  const path = field("spec");
  validateCsiDriverName(spec.attacher, path.child("attacher"), errors);
  const volume = spec.source.persistentVolumeName;
  if (volume !== undefined) {
    report(errors, isDns1123Subdomain(volume), path.child("source"), "persistentVolumeName", volume);
  }
  return errors;
}

/** Validates the sizes of what the driver reports. */
function validateStatus({ status }: VolumeAttachment): FieldError[] {
  const path = field("status");
  const metadata = Object.entries(status.attachmentMetadata ?? {});
  const bytes = metadata.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  const at = path.child("attachmentMetadata");
  return [
    ...(bytes > maxMetadataBytes ? [field.tooLong(at, "", maxMetadataBytes)] : []),
    ...validateVolumeError(status.attachError, path.child("attachError")),
    ...validateVolumeError(status.detachError, path.child("detachError")),
  ];
}

function validateVolumeError(error: VolumeError | undefined, path: FieldPath): FieldError[] {
  return Buffer.byteLength(error?.message ?? "") > maxErrorBytes
    ? [field.tooLong(path.child("message"), "", maxErrorBytes)]
    : [];
}

/** `storage.o8s.io/v1` volume attachments: the intent to attach a volume to a node, and its progress. */
export const volumeAttachments = defineResource<VolumeAttachment>({
  group: "storage.o8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  singular: "volumeattachment",
  scope: "Cluster",
  verbs: allVerbs,
  schema: VolumeAttachment,
  storagePrefix: "/registry/volumeattachments",
  strategy: {
    prepareForCreate: (attachment) => {
      attachment.status = { attached: false };
    },
    validate: (attachment) => [...validateVolumeAttachment(attachment), ...validateNew(attachment)],
    prepareForUpdate: (attachment, old) => keep(attachment, old, "status"),
    validateUpdate: (attachment, old) => [
      ...validateVolumeAttachment(attachment),
      ...immutable(attachment.spec, old.spec, "spec"),
    ],
    allowUnconditionalUpdate: false,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    {
      ...column<VolumeAttachment>("Attacher", "string", "Driver that attaches.", ({ spec }) => spec.attacher),
      format: "name",
    },
    column("PV", "string", "The volume.", ({ spec }) => spec.source.persistentVolumeName ?? ""),
    column("Node", "string", "The node.", ({ spec }) => spec.nodeName),
    booleanColumn("Attached", "Whether it is attached.", ({ status }) => status.attached),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (attachment, old) => {
          keep(attachment, old, "spec");
          keepMetadata(attachment, old);
        },
        validateUpdate: validateVolumeAttachment,
      },
    },
  },
});
