import { type ApiError, forbidden } from "@orchernetes/apimachinery";
import type { Attributes } from "./authorizers/authorizer.ts";

const quote = (text: string): string => JSON.stringify(text);

/** The 403 for a refused request. */
export function forbiddenBy(attributes: Attributes, reason: string | undefined): ApiError {
  const { user, verb, resource, subresource, namespace, apiGroup, name } = attributes;
  const tail = reason === undefined || reason === "" ? "" : `: ${reason}`;
  if (!attributes.resourceRequest) {
    return forbidden(
      { group: "", plural: "" },
      "",
      `User ${quote(user.name)} cannot ${verb} path ${quote(attributes.path)}${tail}`,
    );
  }
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  return forbidden(
    { group: apiGroup, plural: resource },
    name,
    `User ${quote(user.name)} cannot ${verb} resource ${quote(what)} in API group ${quote(apiGroup)} ${where}${tail}`,
  );
}
