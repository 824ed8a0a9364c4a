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

/** The pod to be written, theirs to shape; undefined if the write is about anything else. */
export function podDraft(attributes: MutatingAttributes): Draft<core.Pod> | undefined {
  return isAbout(attributes, "", "pods") ? (attributes.object as Draft<core.Pod> | undefined) : undefined;
}

/** The object and the stored one as the kind that the caller has made sure of with {@link isAbout}. */
export function objectsAs<T extends ApiObject>(
  attributes: AdmissionAttributes,
): { readonly object: T | undefined; readonly oldObject: T | undefined } {
  return { object: attributes.object as T | undefined, oldObject: attributes.oldObject as T | undefined };
}

/** How messages name the resource: group and plural. */
export function groupResource(resource: GroupVersionResource): { readonly group: string; readonly plural: string } {
  return { group: resource.group, plural: resource.resource };
}

/** The error of a write that a plugin of the original refuses with a plain error: 500 without a reason. */
export const plainRefusal = (detail: string): ApiError => new ApiError(failure("", detail));

/** The error of a refused write. It names the object: by its name, else by what its name is made of, else as "Unknown". */
export function refusal(
  { resource, name, object }: Pick<AdmissionAttributes, "resource" | "name" | "object">,
  detail: string,
): ApiError {
  const named = name || object?.metadata?.name || object?.metadata?.generateName || "Unknown";
  return forbidden(groupResource(resource), named, detail);
}
