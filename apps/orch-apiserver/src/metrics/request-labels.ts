import type { MeasuredRequest, RequestInfo } from "@orchernetes/apiserver";

/** What identifies the series of a request. */
export interface RequestLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
}

/** HTTP/2 takes any token as a method, so nothing that objects inherit may count as one. */
const methods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE", "CONNECT"]);

/** The verb label: the method, with reads distinguished by what they read, and applies from other patches. */
export function reportedVerb({ info, req }: MeasuredRequest): string {
  const method = req.method ?? "";
  if (method === "GET" || method === "HEAD") {
    if (info.verb === "watch") return "WATCH";
    return info.verb === "list" ? "LIST" : "GET";
  }
  if (method === "PATCH" && req.headers["content-type"] === "application/apply-patch+yaml") return "APPLY";
  return methods.has(method) ? method : "OTHER";
}

/** `resource` for requests about one object, `namespace` and `cluster` for those about many, "" outside the API. */
export function scopeOf(info: RequestInfo): string {
  if (!info.isResourceRequest) return "";
  if (info.name !== "" || info.verb === "create") return "resource";
  return info.namespace === "" ? "cluster" : "namespace";
}

const pages = ["/healthz", "/livez", "/readyz", "/metrics", "/version", "/openapi", "/debug", "/.well-known", "/api"];

/** The page that a path outside the API's resources belongs to; "" for unknown paths, whose number is unlimited. */
export function pageOf(path: string): string {
  for (const page of pages) if (path === page || path.startsWith(`${page}/`)) return page;
  return path === "/apis" || path.startsWith("/apis/") ? "/apis" : "";
}

/** The dry_run label: `All`, `invalid` or "". */
export function dryRunOf({ query }: RequestInfo): string {
  if (query === "" || !query.includes("dryRun")) return "";
  const values = new URLSearchParams(query).getAll("dryRun");
  if (values.length === 0) return "";
  return values.every((value) => value === "All") ? "All" : "invalid";
}

const validations: ReadonlySet<string> = new Set(["", "Ignore", "Warn", "Strict"]);

/** The field_validation label. */
export function fieldValidationOf({ query }: RequestInfo): string {
  if (query === "" || !query.includes("fieldValidation")) return "";
  const values = new URLSearchParams(query).getAll("fieldValidation");
  const [only = ""] = values;
  return values.length <= 1 && validations.has(only) ? only : "invalid";
}

/** A user name as a label: the well-known ones, and what kind the others are. */
export function userLabel(name: string): string {
  if (name === "admin" || name === "client" || name === "orchlet" || name === "orch_proxy") return name;
  if (name === "system:serviceaccount:orch-system:default") return name;
  return name.includes("@") ? "email_id" : "other";
}
