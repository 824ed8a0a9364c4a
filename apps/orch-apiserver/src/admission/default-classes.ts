import { type core, networking, storage } from "@orchernetes/api";
import type { ApiObject, Draft } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout } from "./shared/attributes.ts";
import { withKnown } from "./shared/plugin.ts";

const IS_DEFAULT = "ingressclass.orchernetes.io/is-default-class";
/** How ingresses named their class before there was a field for it. */
const INGRESS_CLASS_ANNOTATION = "orchernetes.io/ingress.class";

/** How claims named their class before there was a field for it. */
const STORAGE_CLASS_ANNOTATION = "volume.beta.orchernetes.io/storage-class";

/** Plugin DefaultIngressClass: an ingress that names no class gets the default one; of several the newest. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  handles: (operation) => operation === "CREATE",
  admit(attributes, context) {
    if (!isAbout(attributes, "networking.o8s.io", "ingresses") || attributes.object === undefined) return;
    const { metadata, spec } = attributes.object as Draft<networking.Ingress>;
    if (spec.ingressClassName !== undefined || metadata.annotations?.[INGRESS_CLASS_ANNOTATION] !== undefined) return;
    return withKnown(context.registry.forDefinition(networking.ingressClasses).recentList(), (classes) => {
      const [chosen] = classes.filter((c) => c.metadata.annotations?.[IS_DEFAULT] === "true").sort(newestFirst);
      if (chosen !== undefined) spec.ingressClassName = chosen.metadata.name;
    });
  },
};

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
    if (spec.storageClassName !== undefined || metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined) return;
    return withKnown(context.registry.forDefinition(storage.storageClasses).recentList(), (classes) => {
      const [chosen] = classes.filter(storage.isDefaultStorageClass).sort(newestFirst);
      if (chosen !== undefined) spec.storageClassName = chosen.metadata.name;
    });
  },
};

/** Orders objects by creation, newest first; those of the same second by name. */
function newestFirst(a: ApiObject, b: ApiObject): number {
  const [madeA, madeB] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (madeA !== madeB) return madeA < madeB ? 1 : -1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
