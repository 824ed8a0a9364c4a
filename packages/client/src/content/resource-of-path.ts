/** What the path of a request names. */
export interface PathResource {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** "" for an object or a collection. */
  readonly subresource: string;
}

/** Subresources of namespaces, whose paths begin as those of resources in a namespace do. */
const ofNamespaces: ReadonlySet<string> = new Set(["status", "finalize"]);

/**
 * The resource at a path without its query, by the rules of the API concepts ("Resource URIs"); undefined for other paths, such as
 * `/healthz`, discovery, and paths behind a proxy.
 */
export function resourceOfPath(path: string): PathResource | undefined {
  const [, root, ...parts] = path.split("/");
  if (root !== "api" && root !== "apis") return undefined;
  const [group = "", version = "", ...rest] = root === "api" ? ["", ...parts] : parts;
  const [first, namespace, third = ""] = rest;
  const isNamespaced = first === "namespaces" && rest.length >= 3 && !(rest.length === 3 && ofNamespaces.has(third));
  const [plural = "", , subresource = "", ...more] = isNamespaced ? rest.slice(2) : rest;
  const isComplete = version !== "" && plural !== "" && more.length === 0 && namespace !== "";
  return isComplete ? { group, version, plural, subresource } : undefined;
}
