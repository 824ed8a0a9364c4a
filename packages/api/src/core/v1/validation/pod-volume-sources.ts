import {
  type FieldError,
  type FieldPath,
  field,
  quantityOf,
  validateAnnotations,
  validateLabels,
} from "@orchernetes/apimachinery";
import { localDescendingPath } from "../../../shared/paths.ts";
import { requireText } from "../../../shared/report.ts";
import type { EphemeralVolumeSource, Volume, VolumeSource } from "../types/volume-sources.ts";
import { validateClaimSpec } from "./claim-spec.ts";
import type { ValidationContext } from "./context.ts";
import { validateDownwardFiles, validateFileMode, validateKeysToPaths } from "./key-to-path.ts";
import { validateProjectedVolume } from "./projected-volume.ts";
import { requireSecretName, sharedSourceValidators, validateCsiDriverName } from "./volume-sources.ts";

type Sources = { readonly [K in keyof VolumeSource]-?: NonNullable<VolumeSource[K]> };
type Validators = {
  readonly [K in keyof Sources]: (
    source: Sources[K],
    path: FieldPath,
    errors: FieldError[],
    ctx: ValidationContext,
  ) => void;
};

const shared = sharedSourceValidators;

/**
 * Validators by field name, in the order in which upstream tests the sources: the first that is set is the volume's
 * source, and further ones are rejected.
 */
const validators: Validators = {
  emptyDir: (source, path, errors) => {
    if (source.sizeLimit !== undefined && quantityOf(source.sizeLimit).sign < 0) {
      errors.push(field.forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
    }
  },
  hostPath: shared.hostPath,
  gitRepo: (source, path, errors) => {
    requireText(errors, source.repository, path, "repository");
    errors.push(...localDescendingPath(source.directory ?? "", path.child("directory")));
  },
  gcePersistentDisk: shared.gcePersistentDisk,
  awsElasticBlockStore: shared.awsElasticBlockStore,
  secret: (source, path, errors) => {
    requireText(errors, source.secretName, path, "secretName");
    validateFileMode(source.defaultMode, path.child("defaultMode"), errors);
    validateKeysToPaths(source.items, path.child("items"), errors);
  },
  nfs: shared.nfs,
  iscsi: shared.iscsi,
  glusterfs: shared.glusterfs,
  flocker: shared.flocker,
  persistentVolumeClaim: (source, path, errors) => {
    requireText(errors, source.claimName, path, "claimName");
  },
  rbd: shared.rbd,
  cinder: (source, path, errors) => {
    requireText(errors, source.volumeID, path, "volumeID");
    requireSecretName(source.secretRef, path, errors);
  },
  cephfs: shared.cephfs,
  quobyte: shared.quobyte,
  downwardAPI: (source, path, errors) => {
    validateFileMode(source.defaultMode, path.child("defaultMode"), errors);
    validateDownwardFiles(source.items, path, errors);
  },
  fc: shared.fc,
  flexVolume: shared.flexVolume,
  configMap: (source, path, errors) => {
    requireText(errors, source.name, path, "name");
    validateFileMode(source.defaultMode, path.child("defaultMode"), errors);
    validateKeysToPaths(source.items, path.child("items"), errors);
  },
  azureFile: shared.azureFile,
  vsphereVolume: shared.vsphereVolume,
  photonPersistentDisk: shared.photonPersistentDisk,
  portworxVolume: shared.portworxVolume,
  azureDisk: shared.azureDisk,
  storageos: shared.storageos,
  projected: validateProjectedVolume,
  scaleIO: shared.scaleIO,
  csi: (source, path, errors) => {
    validateCsiDriverName(source.driver, path.child("driver"), errors);
    if (source.nodePublishSecretRef !== undefined && !source.nodePublishSecretRef.name) {
      errors.push(field.required(path.child("nodePublishSecretRef", "name")));
    }
  },
  ephemeral: validateEphemeralVolume,
};

const order = Object.keys(validators) as (keyof VolumeSource)[];

/** Validates that a volume of a pod has exactly one source, and validates that source. */
export function validatePodVolumeSource(
  volume: Volume,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  let found = false;
  for (const kind of order) {
    if (volume[kind] === undefined) {
      continue;
    }
    if (found) {
      errors.push(field.forbidden(path.child(kind), "may not specify more than 1 volume type"));
    } else {
      found = true;
      validate(kind, volume as Sources, path.child(kind), ctx, errors);
    }
  }
  if (!found) {
    errors.push(field.required(path, "must specify a volume type"));
  }
}

function validate<K extends keyof Sources>(
  kind: K,
  present: Sources,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  validators[kind](present[kind], path, errors, ctx);
}

/**
 * Validates the template of a generic ephemeral volume (KEP-1698). A controller creates the claim with the pod's name
 * and namespace, so the template's metadata can have only labels and annotations.
 */
function validateEphemeralVolume(
  source: EphemeralVolumeSource,
  path: FieldPath,
  errors: FieldError[],
  ctx: ValidationContext,
): void {
  const template = source.volumeClaimTemplate;
  if (template === undefined) {
    errors.push(field.required(path.child("volumeClaimTemplate")));
    return;
  }
  const at = path.child("volumeClaimTemplate");
  const metadata = template.metadata ?? {};
  errors.push(
    ...validateAnnotations(metadata.annotations, at.child("metadata", "annotations")),
    ...validateLabels(metadata.labels, at.child("metadata", "labels")),
  );
  for (const [key, value] of Object.entries(metadata)) {
    // Canonical metadata always has a creationTimestamp, which is null here.
    if (key === "labels" || key === "annotations" || !isSet(value)) continue;
    errors.push(field.forbidden(at.child("metadata", key), "cannot be set for an ephemeral volume"));
  }
  validateClaimSpec(template.spec, undefined, at.child("spec"), ctx, errors);
}

/** Whether a field has another value than the zero value of its type. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "" && value !== 0;
}
