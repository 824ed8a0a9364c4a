import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout } from "./attributes.ts";

const FINALIZERS = {
  persistentvolumes: "orchernetes.io/pv-protection",
  persistentvolumeclaims: "orchernetes.io/pvc-protection",
} as const;

/** Plugin StorageObjectInUseProtection: volumes and claims stay until their protection controller finds them unused. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  handles: (operation) => operation === "CREATE",
  admit(attributes) {
    const { object } = attributes;
    if (object === undefined) return;
    for (const [resource, finalizer] of Object.entries(FINALIZERS)) {
      if (!isAbout(attributes, "", resource)) continue;
      const finalizers = object.metadata.finalizers ?? [];
      if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
    }
  },
};
