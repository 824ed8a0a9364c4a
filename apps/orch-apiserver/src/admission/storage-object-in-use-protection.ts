import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout } from "./shared/attributes.ts";

const FINALIZERS = new Map([
  ["persistentvolumes", "orchernetes.io/pv-protection"],
  ["persistentvolumeclaims", "orchernetes.io/pvc-protection"],
]);

/** Plugin StorageObjectInUseProtection: volumes and claims stay until their protection controller finds them unused. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  handles: (operation) => operation === "CREATE",
  admit(attributes) {
    const { object } = attributes;
    const { resource } = attributes.resource;
    const finalizer = FINALIZERS.get(resource);
    if (object === undefined || finalizer === undefined || !isAbout(attributes, "", resource)) return;
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
  },
};
