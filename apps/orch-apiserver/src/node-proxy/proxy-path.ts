import type { RequestInfo } from "@orchernetes/apiserver";

/** The path of a request for a `proxy` subresource. */
export interface ProxyPath {
  /** Up to `/proxy`: it leads to this server. */
  readonly prefix: string;
  /** What follows, as it was sent, with the query: it is the other server's. Empty when the path ends with `/proxy`. */
  readonly rest: string;
}

/** Splits behind `/GROUP-VERSION/[namespaces/NAMESPACE/]RESOURCE/NAME/proxy`, whatever the names are. */
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
