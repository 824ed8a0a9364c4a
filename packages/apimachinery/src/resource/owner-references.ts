import { apiVersionOf } from "./definition.ts";
import type { GroupVersionKind } from "./group-version-kind.ts";
import type { ApiObject } from "./object.ts";
import type { OwnerReference } from "./object-meta.ts";

/**
 * The reference to the owner that controls the object; undefined if there is none. At most one owner is the
 * controller.
 */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * Whether `owner` is the object's controller. Compared by uid, so that a new object with the same name is not taken
 * for the owner.
 */
export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid;
}

/**
 * The reference with which `owner` controls an object. It also blocks the foreground deletion of the owner until that
 * object is gone.
 */
export function controllerRef(ref: GroupVersionKind, owner: ApiObject): OwnerReference & { readonly controller: true } {
  return {
    apiVersion: apiVersionOf(ref),
    kind: ref.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
