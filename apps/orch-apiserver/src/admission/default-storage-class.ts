import { type core, storage } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout } from "./attributes.ts";
import { newestFirst } from "./newest-first.ts";
import { withKnown } from "./with-known.ts";

/** How claims named their class before there was a field for it. */
const CLASS_ANNOTATION = "volume.beta.orchernetes.io/storage-class";

/**
 * Plugin DefaultStorageClass: a claim that names no class gets the default one; of several the newest. A claim that names ""
 * requests a volume without a class and keeps it.
 */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  handles: (operation) => operation === "CREATE",
  admit(attributes, context) {
    if (!isAbout(attributes, "", "persistentvolumeclaims") || attributes.object === undefined) return;
    const { metadata, spec } = attributes.object as Draft<core.PersistentVolumeClaim>;
    if (spec.storageClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
    return withKnown(context.registry.forDefinition(storage.storageClasses).recentList(), (classes) => {
      const [chosen] = classes.filter(storage.isDefaultStorageClass).sort(newestFirst);
      if (chosen !== undefined) spec.storageClassName = chosen.metadata.name;
    });
  },
};
