import { badRequest } from "@orchernetes/apimachinery";
import type { Attributes, HttpRequest, UserInfo } from "../interfaces/index.ts";
import type { Authorization } from "./authorization.ts";

const extraPrefix = "impersonate-extra-";
const serviceAccountPrefix = "system:serviceaccount:";

function valuesOf(value: string | string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** All values of a header that Node may have joined with commas; group names are taken from the raw list where there is one. */
function headerValues(req: HttpRequest, name: string): readonly string[] {
  const raw = (req as { rawHeaders?: readonly string[] }).rawHeaders;
  if (raw === undefined) return valuesOf(req.headers[name]);
  const values: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() === name) values.push(raw[i + 1] ?? "");
  }
  return values;
}

function extraOf(req: HttpRequest): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {};
  for (const header of Object.keys(req.headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    let key = header.slice(extraPrefix.length);
    try {
      key = decodeURIComponent(key);
    } catch {
      // Keys that are not percent-encoded are taken as they are.
    }
    Object.defineProperty(extra, key, { value: headerValues(req, header), enumerable: true, configurable: true });
  }
  return extra;
}

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

function defaultGroups(name: string): readonly string[] {
  if (!name.startsWith(serviceAccountPrefix)) return [];
  const [namespace = ""] = name.slice(serviceAccountPrefix.length).split(":");
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** Whether the request asks to act as someone else. */
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
 * The user that `user` asks to act as: Impersonate-User, -Group, -Uid and -Extra-* headers, each allowed one by one.
 *
 * @throws ApiError Forbidden; BadRequest without Impersonate-User
 */
export async function impersonate(req: HttpRequest, user: UserInfo, authorization: Authorization): Promise<UserInfo> {
  const [name = ""] = headerValues(req, "impersonate-user");
  const [uid = ""] = headerValues(req, "impersonate-uid");
  const groups = headerValues(req, "impersonate-group");
  const extra = extraOf(req);
  if (name === "") {
    throw badRequest(
      "requested groups, uid or extra without impersonating a user: the Impersonate-User header is missing",
    );
  }
  const check = (part: Partial<Attributes> & { resource: string }) =>
    authorization.check(impersonationAttributes(user, part));
  const account = name.startsWith(serviceAccountPrefix) ? name.slice(serviceAccountPrefix.length).split(":") : [];
  const [namespace, accountName] = account;
  if (account.length === 2 && namespace && accountName) {
    await check({ resource: "serviceaccounts", namespace, name: accountName });
  } else {
    await check({ resource: "users", name });
  }
  for (const group of groups) await check({ resource: "groups", name: group });
  if (uid !== "") await check({ resource: "uids", apiGroup: "authentication.o8s.io", name: uid });
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) {
      await check({ resource: "userextras", apiGroup: "authentication.o8s.io", subresource: key, name: value });
    }
  }
  const anonymous = name === "system:anonymous";
  const all = [...groups];
  if (groups.length === 0) all.push(...defaultGroups(name));
  const marker = anonymous ? "system:unauthenticated" : "system:authenticated";
  if (!all.includes("system:unauthenticated") && !all.includes(marker)) all.push(marker);
  return { name, ...(uid === "" ? {} : { uid }), groups: all, extra };
}

/** Removes the headers once they have been honoured, so that proxies do not act on them again. */
export function dropImpersonationHeaders(req: HttpRequest): void {
  for (const header of Object.keys(req.headers)) {
    if (header.startsWith("impersonate-")) delete req.headers[header];
  }
}
