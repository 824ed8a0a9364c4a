import type { HttpRequest } from "@orchernetes/component";
import { HttpError } from "./http-error.ts";
import { pathParts } from "./path-parts.ts";

const read = ["GET", "HEAD"] as const;

/** Methods by the first part of the path. What is not listed here answers whatever the method is. */
const methods: Readonly<Record<string, readonly string[]>> = {
  containerLogs: read,
  pods: read,
  runningpods: read,
  stats: read,
  spec: read,
  configz: read,
  // A link or an image in a page must not run a command.
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
