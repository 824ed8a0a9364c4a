import type { HttpRequest } from "@orchernetes/kernel";
import { HttpError } from "./http-error.ts";
import { pathParts } from "./path-parts.ts";

const read = ["GET", "HEAD"] as const;

/** Allowed methods by the first path segment. Paths that are not listed accept any method. */
const methods: Readonly<Record<string, readonly string[]>> = {
  containerLogs: read,
  pods: read,
  runningpods: read,
  stats: read,
  spec: read,
  configz: read,
  // A link or image on a web page must not be able to run a command.
  run: ["POST"],
  exec: ["GET", "POST"],
  attach: ["GET", "POST"],
  portForward: ["GET", "POST"],
};

/** @throws HttpError 405 when the path has no such method */
export function requireMethod(request: Pick<HttpRequest, "method">, path: string): void {
  const { method = "GET" } = request;
  const [area = ""] = pathParts(path);
  const allowed = Object.hasOwn(methods, area) ? methods[area] : undefined;
  if (allowed !== undefined && !allowed.includes(method))
    throw new HttpError(405, `method ${method} is not allowed for /${area}: want ${allowed.join(" or ")}`);
}
