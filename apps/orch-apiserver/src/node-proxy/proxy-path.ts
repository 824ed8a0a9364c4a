import type { RequestInfo } from "@orchernetes/apiserver";

/** The path of a request for a `proxy` subresource. */
export interface ProxyPath {
  /** The part up to and including `/proxy`. */
  readonly prefix: string;
  /** The rest, unchanged and with the query, for the other server. Empty when the path ends with `/proxy`. */
  readonly rest: string;
}

/** Splits after `/GROUP-VERSION/[namespaces/NAMESPACE/]RESOURCE/NAME/proxy`, even if one of the names is `proxy`. */
export function splitProxyPath({
  path,
  query,
  namespace,
}: Pick<RequestInfo, "path" | "query" | "namespace">): ProxyPath {
  const segments = path.split("/");
  const end = namespace === "" ? 6 : 8;
  const prefix = segments.slice(0, end).join("/");
  return { prefix, rest: `${path.slice(prefix.length)}${query === "" ? "" : `?${query}`}` };
}
