import { isDns1123Label, isDns1123Subdomain } from "./dns.ts";

const PREFIX = "system:serviceaccount:";

/** The user name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** Namespace and name of a service account's user name; undefined for any other text, including malformed ones. */
export function parseServiceAccountUserName(
  userName: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!userName.startsWith(PREFIX)) return undefined;
  const [namespace = "", name = "", ...rest] = userName.slice(PREFIX.length).split(":");
  if (rest.length > 0 || isDns1123Label(namespace).length > 0 || isDns1123Subdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** Groups of every service account of a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
