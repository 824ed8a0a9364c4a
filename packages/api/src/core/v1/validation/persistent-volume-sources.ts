import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { noBacksteps } from "../../../shared/paths.ts";
import { requireText } from "../../../shared/report.ts";
import type { CSIPersistentVolumeSource, PersistentVolumeSource } from "../types/persistent-volume-sources.ts";
import { requireSecretName, sharedSourceValidators as shared, validateCsiDriverName } from "./volume-sources.ts";

type Sources = { readonly [K in keyof PersistentVolumeSource]-?: NonNullable<PersistentVolumeSource[K]> };
type Validators = {
  readonly [K in keyof Sources]: (source: Sources[K], path: FieldPath, errors: FieldError[]) => void;
};

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeStageSecretRef",
  "nodeExpandSecretRef",
] as const;

/** Validates a CSI source. Each secret has its own purpose, and a namespace, because the volume itself has none. */
function validateCsi(source: CSIPersistentVolumeSource, path: FieldPath, errors: FieldError[]): void {
  validateCsiDriverName(source.driver, path.child("driver"), errors);
  requireText(errors, source.volumeHandle, path, "volumeHandle");
  for (const kind of csiSecrets) {
    const reference = source[kind];
    if (reference !== undefined) {
      requireText(errors, reference.name, path.child(kind), "name");
      requireText(errors, reference.namespace, path.child(kind), "namespace");
    }
  }
}

// The type makes sure that every source has a validator. The order of the keys decides which of several sources is
// taken as the volume's own.
const validators: Validators = {
  hostPath: shared.hostPath,
  gcePersistentDisk: shared.gcePersistentDisk,
  awsElasticBlockStore: shared.awsElasticBlockStore,
  glusterfs: (source, path, errors) => {
    shared.glusterfs(source, path, errors);
    if (source.endpointsNamespace === "") {
      const detail = "if the endpointnamespace is set, it must be a valid namespace name";
      errors.push(field.invalid(path.child("endpointsNamespace"), "", detail));
    }
  },
  flocker: shared.flocker,
  nfs: shared.nfs,
  rbd: shared.rbd,
  quobyte: shared.quobyte,
  cephfs: shared.cephfs,
  iscsi: shared.iscsi,
  cinder: (source, path, errors) => {
    requireText(errors, source.volumeID, path, "volumeID");
    requireSecretName(source.secretRef, path, errors);
    if (source.secretRef !== undefined) {
      requireText(errors, source.secretRef.namespace, path.child("secretRef"), "namespace");
    }
  },
  fc: shared.fc,
  flexVolume: shared.flexVolume,
  azureFile: (source, path, errors) => {
    shared.azureFile(source, path, errors);
    if (source.secretNamespace === "") {
      errors.push(field.required(path.child("secretNamespace")));
    }
  },
  vsphereVolume: shared.vsphereVolume,
  photonPersistentDisk: shared.photonPersistentDisk,
  portworxVolume: shared.portworxVolume,
  azureDisk: shared.azureDisk,
  scaleIO: shared.scaleIO,
  local: (source, path, errors) => {
    if (requireText(errors, source.path, path, "path")) {
      errors.push(...noBacksteps(source.path, path.child("path")));
    }
  },
  storageos: shared.storageos,
  csi: validateCsi,
};

/** Kinds of sources, in the order in which they are validated. */
export const volumeSourceKinds = Object.keys(validators) as (keyof PersistentVolumeSource)[];

/** Validates that a volume has exactly one source, and that it is well formed. */
export function validatePersistentSource(spec: PersistentVolumeSource, path: FieldPath, errors: FieldError[]): void {
  let found = false;
  for (const kind of volumeSourceKinds) {
    if (spec[kind] === undefined) {
      continue;
    }
    if (found) {
      errors.push(field.forbidden(path.child(kind), "may not specify more than 1 volume type"));
    } else {
      found = true;
      validate(kind, spec as Sources, path.child(kind), errors);
    }
  }
  if (!found) {
    errors.push(field.required(path, "must specify a volume type"));
  }
}

function validate<K extends keyof Sources>(kind: K, present: Sources, path: FieldPath, errors: FieldError[]): void {
  validators[kind](present[kind], path, errors);
}
