import { type ApiObject, apiVersionOf } from "@orchernetes/apimachinery";
import type { ResourceRef } from "../resource/resource-ref.ts";

/** Names the object that an event is about, as core/v1 ObjectReference. */
export interface ObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Part of the object, e.g. `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Returns a reference to an object of a resource, with the resourceVersion of the given object. */
export function referenceTo(
  ref: Pick<ResourceRef, "group" | "version" | "kind">,
  object: ApiObject,
  fieldPath?: string,
): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    kind: ref.kind,
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    apiVersion: apiVersionOf(ref),
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}
