import type { Attributes, UserInfo } from "@orchernetes/auth";
import type { RequestInfo } from "../interfaces/index.ts";

/** What a request must be authorized for. */
export function attributesOf(user: UserInfo, info: RequestInfo): Attributes {
  return {
    user,
    verb: info.verb,
    namespace: info.namespace,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
    resourceRequest: info.isResourceRequest,
  };
}
