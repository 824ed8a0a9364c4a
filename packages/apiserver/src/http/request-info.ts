import { badRequest, genericServerResponse, parseFieldSelector } from "@orchernetes/apimachinery";
import type { RequestInfo } from "../interfaces/index.ts";

/** Longest path and query that is looked at. */
const maxUrlLength = 32 * 1024;

const verbOfMethod: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Subresources of namespaces themselves; any other third segment is a resource inside the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

const falsy: ReadonlySet<string> = new Set(["false", "0"]);

/** Whether a boolean query parameter is on: present, and neither `0` nor `false`. */
export function isTrue(value: string | null): boolean {
  return value !== null && !falsy.has(value.toLowerCase());
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path segment ${JSON.stringify(segment)} is not valid percent-encoding`);
  }
}

function nonResource(method: string, path: string, query: string, apiPrefix: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix,
    apiGroup: "",
    apiVersion: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    parts: [],
    watchPath: false,
    query,
  };
}

/** The name that a list's field selector pins down, so that authorization can go by name. */
function selectedName(query: string): string {
  if (!query.includes("fieldSelector")) return "";
  const text = new URLSearchParams(query).get("fieldSelector") ?? "";
  try {
    const name = parseFieldSelector(text).exact("metadata.name") ?? "";
    return name.includes("/") || name.includes("%") || name === "." || name === ".." ? "" : name;
  } catch {
    return "";
  }
}

/**
 * Reads a request's meaning from method and URL.
 *
 * @throws ApiError BadRequest for URLs that are too long or wrongly encoded, NotFound for resource paths with empty segments
 */
export function parseRequestInfo(method: string, url: string): RequestInfo {
  if (url.length > maxUrlLength)
    throw badRequest(`the URL has ${url.length} characters; at most ${maxUrlLength} are accepted`);
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? "" : url.slice(mark + 1);
  const segments = path.split("/");
  // A leading slash gives one empty segment, a trailing slash another.
  const end = segments.length > 1 && segments[segments.length - 1] === "" ? segments.length - 1 : segments.length;
  const prefix = segments[1] ?? "";
  const versionAt = prefix === "api" ? 2 : prefix === "apis" ? 3 : 0;
  if (versionAt === 0 || end <= versionAt + 1) return nonResource(method, path, query, versionAt === 0 ? "" : prefix);

  // An empty segment would shift what authorization sees against what is served.
  if (segments.indexOf("", 1) < end && segments.indexOf("", 1) !== -1) throw genericServerResponse({ code: 404 });
  let at = versionAt + 1;
  // HTTP/2 takes any token as a method.
  let verb = Object.hasOwn(verbOfMethod, method) ? (verbOfMethod[method] ?? "") : "";
  let watchPath = false;
  if (segments[at] === "watch") {
    watchPath = true;
    verb = "watch";
    at++;
  }
  let namespace = "";
  if (segments[at] === "namespaces" && at + 1 < end) {
    namespace = decodeSegment(segments[at + 1] ?? "");
    if (at + 2 < end && !namespaceSubresources.has(segments[at + 2] ?? "")) at += 2;
  }
  const parts = segments.slice(at, end).map(decodeSegment);
  const [resource = "", pathName = "", subresource = ""] = parts;
  if (pathName.includes("/") || namespace.includes("/") || pathName.includes("\0") || namespace.includes("\0")) {
    throw badRequest(
      `the name ${JSON.stringify(pathName.includes("/") ? pathName : namespace)} in the path must not contain "/"`,
    );
  }
  let name = pathName;
  if (name === "") {
    if (verb === "get") {
      // HEAD requests no body, so it watches nothing: its response would never end.
      const watches = method === "GET" && query !== "" && isTrue(new URLSearchParams(query).get("watch"));
      verb = watches ? "watch" : "list";
      name = selectedName(query);
    } else if (verb === "delete") {
      verb = "deletecollection";
    }
  }
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix: prefix,
    apiGroup: prefix === "apis" ? decodeSegment(segments[2] ?? "") : "",
    apiVersion: decodeSegment(segments[versionAt] ?? ""),
    namespace,
    resource,
    subresource,
    name,
    parts,
    watchPath,
    query,
  };
}
