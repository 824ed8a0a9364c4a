import { type Infer, message, required, string } from "../schema/index.ts";

const pkg = "meta/v1";

/** Identifies a kind: what `apiVersion` and `kind` of an object say. The core group is "". */
export const GroupVersionKind = message(pkg, "GroupVersionKind", () => ({
  group: required(1, string),
  version: required(2, string),
  kind: required(3, string),
}));
export interface GroupVersionKind extends Infer<typeof GroupVersionKind> {}

/** Identifies a resource: the part of a request path for a collection. The core group is "". */
export const GroupVersionResource = message(pkg, "GroupVersionResource", () => ({
  group: required(1, string),
  version: required(2, string),
  resource: required(3, string),
}));
export interface GroupVersionResource extends Infer<typeof GroupVersionResource> {}

/**
 * Splits `apps/v1` into group and version; `v1` has the group "".
 *
 * @returns undefined when the text has more than one slash
 */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } | undefined {
  if (apiVersion === "" || apiVersion === "/") {
    return { group: "", version: "" };
  }
  const [first = "", second, ...rest] = apiVersion.split("/");
  if (rest.length > 0) {
    return undefined;
  }
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}
