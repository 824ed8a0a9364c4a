import { type ApiObject, apiVersionOf, type OwnerReference } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

/** The reference to the object's controller, if it has one. */
export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether the object's controller is `owner`, by uid. */
export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference by which `owner` controls an object, and blocks being deleted in the foreground until it is gone. */
export function controllerRef(
  ref: Pick<ResourceRef, "group" | "version" | "kind">,
  owner: ApiObject,
): OwnerReference & { readonly controller: true } {
  return {
    apiVersion: apiVersionOf(ref),
    kind: ref.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
