import {
  badRequest,
  HeaderEncodingError,
  headersByPrefix,
  headerValues,
  parseServiceAccountUserName,
  serviceAccountGroups,
} from "@orchernetes/apimachinery";
import {
  type Attributes,
  AUTHENTICATED_GROUP,
  type Authorization,
  anonymousUser,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
} from "@orchernetes/auth";
import type { HttpRequest } from "@orchernetes/kernel";

const extraPrefix = "impersonate-extra-";

function extraOf(req: HttpRequest): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(headersByPrefix(req, extraPrefix));
}

/** @throws ApiError BadRequest for headers that are not UTF-8 */
function readHeaders(req: HttpRequest) {
  try {
    const [name = ""] = headerValues(req, "impersonate-user");
    const [uid = ""] = headerValues(req, "impersonate-uid");
    return { name, uid, groups: headerValues(req, "impersonate-group"), extra: extraOf(req) };
  } catch (error) {
    if (error instanceof HeaderEncodingError) throw badRequest(error.message);
    throw error;
  }
}

/** The attributes of verb `impersonate` for one user, group, uid or extra value. */
function impersonationAttributes(user: UserInfo, part: Partial<Attributes> & { resource: string }): Attributes {
  return {
    user,
    verb: "impersonate",
    namespace: "",
    apiGroup: "",
    apiVersion: "v1",
    subresource: "",
    name: "",
    path: "",
    resourceRequest: true,
    ...part,
  };
}

/** Whether the request impersonates a user. */
export function impersonates(req: HttpRequest): boolean {
  const { headers } = req;
  if (
    headers["impersonate-user"] === undefined &&
    headers["impersonate-group"] === undefined &&
    headers["impersonate-uid"] === undefined
  ) {
    for (const header in headers) if (header.startsWith(extraPrefix)) return true;
    return false;
  }
  return true;
}

/**
 * The user that `user` impersonates: Impersonate-User, -Group, -Uid and -Extra-* headers, each authorized individually
 * (docs: "User impersonation"). `system:authenticated` or `system:unauthenticated` is added, as authentication would
 * have.
 *
 * @throws ApiError Forbidden; BadRequest without Impersonate-User, or for headers that are not UTF-8
 */
export async function impersonate(req: HttpRequest, user: UserInfo, authorization: Authorization): Promise<UserInfo> {
  const { name, uid, groups, extra } = readHeaders(req);
  if (name === "") {
    throw badRequest(
      "requested groups, uid or extra without impersonating a user: the Impersonate-User header is missing",
    );
  }
  const check = (part: Partial<Attributes> & { resource: string }) =>
    authorization.check(impersonationAttributes(user, part));
  // A malformed service account name is an ordinary user name and implies no groups.
  const account = parseServiceAccountUserName(name);
  if (account === undefined) await check({ resource: "users", name });
  else await check({ resource: "serviceaccounts", ...account });
  for (const group of groups) await check({ resource: "groups", name: group });
  if (uid !== "") await check({ resource: "uids", apiGroup: "authentication.o8s.io", name: uid });
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) {
      await check({ resource: "userextras", apiGroup: "authentication.o8s.io", subresource: key, name: value });
    }
  }
  const anonymous = name === anonymousUser.name;
  const all = [...groups];
  if (groups.length === 0 && account !== undefined) all.push(...serviceAccountGroups(account.namespace));
  const marker = anonymous ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP;
  if (!all.includes(UNAUTHENTICATED_GROUP) && !all.includes(marker)) all.push(marker);
  return { name, ...(uid === "" ? {} : { uid }), groups: all, extra };
}

/**
 * Removes the headers after they were applied. A request that is forwarded (to a node, a pod or an extension server)
 * must not carry them: the server behind would impersonate a second time, with the rights of this server.
 */
export function dropImpersonationHeaders(req: HttpRequest): void {
  for (const header of Object.keys(req.headers)) {
    if (header.startsWith("impersonate-")) delete req.headers[header];
  }
}
