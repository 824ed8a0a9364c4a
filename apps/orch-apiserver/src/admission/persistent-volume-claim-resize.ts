import { type core, storage } from "@orchernetes/api";
import { parseQuantity } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout, objectsAs, refusal } from "./shared/attributes.ts";
import { withKnown } from "./shared/plugin.ts";

/** How claims named their class before there was a field for it. */
const CLASS_ANNOTATION = "volume.beta.orchernetes.io/storage-class";

const classOf = ({ metadata, spec }: core.PersistentVolumeClaim): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "";

const sizeOf = ({ spec }: core.PersistentVolumeClaim) => parseQuantity(spec.resources?.requests?.storage ?? "0");

function checkClass(attributes: AdmissionAttributes, name: string, { registry }: AdmissionContext) {
  const known = registry.forDefinition(storage.storageClasses).recentList();
  return withKnown(known, (classes) => {
    const found = classes.find(({ metadata }) => name !== "" && metadata.name === name);
    if (found?.allowVolumeExpansion !== true)
      throw refusal(
        attributes,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
  });
}

/** Plugin PersistentVolumeClaimResize: only bound claims grow, and only if their storage class lets volumes grow. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  handles: (operation) => operation === "UPDATE",
  validate(attributes, context) {
    if (!isAbout(attributes, "", "persistentvolumeclaims")) return;
    const { object, oldObject } = objectsAs<core.PersistentVolumeClaim>(attributes);
    if (object === undefined || oldObject === undefined) return;
    if (sizeOf(object).cmp(sizeOf(oldObject)) <= 0) return;
    if (oldObject.status?.phase !== "Bound")
      throw refusal(attributes, "Only bound persistent volume claims can be expanded");
    const name = classOf(object);
    return checkClass(attributes, name === classOf(oldObject) ? name : "", context);
  },
};
