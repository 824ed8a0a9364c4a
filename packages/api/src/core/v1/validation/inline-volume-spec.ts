import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import type { PersistentVolumeSpec } from "../types/persistent-volume.ts";
import { validateAccessModes } from "./access-modes.ts";
import { validatePersistentSource } from "./persistent-volume-sources.ts";

const inline = "in the context of inline volumes";

/**
 * Validates the specification of a volume that stands in a pod, in the form of a persistent volume: it is one of a CSI
 * driver, and has nothing that only volumes with an object of their own have.
 */
export function validateInlineVolumeSpec(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const { claimRef, capacity, csi, accessModes = [], persistentVolumeReclaimPolicy: policy } = spec;
  const errors: FieldError[] = [];
  const forbid = (name: string, isThere: boolean, detail = `may not be specified ${inline}`): void => {
    if (isThere) errors.push(field.forbidden(path.child(name), detail));
  };
  forbid("claimRef", claimRef !== undefined);
  forbid("capacity", Object.keys(capacity ?? {}).length > 0);
  if (csi === undefined) errors.push(field.required(path.child("csi"), `has to be specified ${inline}`));
  if (accessModes.length === 0) errors.push(field.required(path.child("accessModes")));
  // The mode for a single pod is not accepted here, whatever its gate says; as in the original.
  const none = { allowPrivileged: false, featureEnabled: () => false };
  validateAccessModes(accessModes, undefined, path.child("accessModes"), none, errors);
  const retained = policy === undefined || policy === "Retain";
  forbid("persistentVolumeReclaimPolicy", !retained, `may only be Retain ${inline}`);
  forbid("nodeAffinity", spec.nodeAffinity !== undefined);
  validatePersistentSource(spec, path, errors);
  forbid("storageClassName", Boolean(spec.storageClassName));
  const isBlock = spec.volumeMode !== undefined && spec.volumeMode !== "Filesystem";
  forbid("volumeMode", isBlock, `may not specify volumeMode other than Filesystem ${inline}`);
  return errors;
}
