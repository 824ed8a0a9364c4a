import { apiVersionOf } from "./definition.ts";
import type { GroupVersionKind } from "./group-version-kind.ts";
import type { ApiObject } from "./object.ts";
import type { OwnerReference } from "./object-meta.ts";

/** The reference to the one owner that controls the object; undefined when none does. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Whether the object's controller is `owner`, by uid. */
export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference by which `owner` controls an object, and blocks its own foreground deletion until that object is gone. */
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
