import { type ApiError, badRequest, genericServerResponse, parseFieldSelector } from "@orchernetes/apimachinery";
import type { RequestInfo } from "../interfaces/index.ts";
import { parseQuery } from "./parse-query.ts";

/** Longest URL that is processed, in characters. */
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

/**
 * Whether a boolean query parameter is set: present, and neither `0` nor `false`. An empty value counts as set, as in
 * upstream's conversion of query parameters.
 */
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

/** Whether a decoded name is still one segment of a key: the separator and NUL would change which key it becomes. */
const isSegment = (name: string): boolean => !name.includes("/") && !name.includes("\0");

const malformedName = (name: string): ApiError =>
  badRequest(`the name ${JSON.stringify(name)} in the path must not contain "/" or a NUL character`);

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

/**
 * The name that the field selector of a list requires, so that rules with resourceNames can allow lists of one object
 * (docs: "Using RBAC Authorization", "Referring to resources"). "" for names that would change the meaning of a path.
 */
function selectedName(query: string): string {
  if (!query.includes("fieldSelector")) return "";
  const text = parseQuery(query).get("fieldSelector") ?? "";
  try {
    const name = parseFieldSelector(text).exact("metadata.name") ?? "";
    return name.includes("/") || name.includes("%") || name === "." || name === ".." ? "" : name;
  } catch {
    return "";
  }
}

/**
 * Determines the meaning of a request from its method and URL. The same result serves authorization and routing, so
 * that a path cannot mean one thing to the one and another to the other; unusual paths are rejected rather than
 * normalized.
 *
 * @throws ApiError BadRequest for URLs that are too long or wrongly encoded, NotFound for resource paths with empty
 *   segments
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
  if (!isSegment(pathName)) throw malformedName(pathName);
  if (!isSegment(namespace)) throw malformedName(namespace);
  let name = pathName;
  if (name === "") {
    if (verb === "get") {
      // HEAD requests no body, so it watches nothing: its response would never end.
      const watches = method === "GET" && query !== "" && isTrue(parseQuery(query).get("watch"));
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
