import type { core } from "@orchernetes/api";
import { ApiError, type ApiObject, type Draft, failure, forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, GroupVersionResource, MutatingAttributes } from "@orchernetes/apiserver";

/** Whether the write is about this resource itself (`subresource` "") or the named subresource of it. */
export function isAbout(
  attributes: Pick<AdmissionAttributes, "resource" | "subresource">,
  group: string,
  resource: string,
  subresource = "",
): boolean {
  return (
    attributes.resource.group === group &&
    attributes.resource.resource === resource &&
    attributes.subresource === subresource
  );
}

/** Returns the draft of the pod that is written, which the plugin may change; undefined for other writes. */
export function podDraft(attributes: MutatingAttributes): Draft<core.Pod> | undefined {
  return isAbout(attributes, "", "pods") ? (attributes.object as Draft<core.Pod> | undefined) : undefined;
}

/** Returns the object and the stored object as a kind, which the caller has checked with {@link isAbout}. */
export function objectsAs<T extends ApiObject>(
  attributes: AdmissionAttributes,
): { readonly object: T | undefined; readonly oldObject: T | undefined } {
  return { object: attributes.object as T | undefined, oldObject: attributes.oldObject as T | undefined };
}

/** Returns the group and the plural of a resource, for errors. */
export function groupResource(resource: GroupVersionResource): { readonly group: string; readonly plural: string } {
  return { group: resource.group, plural: resource.resource };
}

/** Returns the error for writes that a plugin of upstream rejects with a plain Go error: 500 without a reason. */
export const plainRefusal = (detail: string): ApiError => new ApiError(failure("", detail));

/** Returns the error for a rejected write. It contains the name of the object, its `generateName`, or "Unknown". */
export function refusal(
  { resource, name, object }: Pick<AdmissionAttributes, "resource" | "name" | "object">,
  detail: string,
): ApiError {
  const named = name || object?.metadata?.name || object?.metadata?.generateName || "Unknown";
  return forbidden(groupResource(resource), named, detail);
}
