import type { HttpRequest } from "@orchernetes/kernel";
import { HttpError } from "./http-error.ts";

/**
 * The decoded segments of a path. Authorization, allowed methods and routing must all use them: if one of them compared
 * encoded paths, `/%72un` would be authorized as something else than the `/run` that is executed. Invalid encodings are
 * kept unchanged.
 */
export function pathParts(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}

const read = ["GET", "HEAD"] as const;

/** Allowed methods by the first path segment. Paths that are not listed accept any method. */
const methods: Readonly<Record<string, readonly string[]>> = {
  containerLogs: read,
  pods: read,
  runningpods: read,
  stats: read,
  spec: read,
  configz: read,
  logs: read,
  checkpoint: ["POST"],
  // Not GET: a link or an image on a web page must not run a command.
  run: ["POST"],
  exec: ["GET", "POST"],
  attach: ["GET", "POST"],
  portForward: ["GET", "POST"],
};

/** Checks the method of a request. @throws HttpError 405 if the path does not support it */
export function requireMethod(request: Pick<HttpRequest, "method">, path: string): void {
  const { method = "GET" } = request;
  const [area = ""] = pathParts(path);
  const allowed = Object.hasOwn(methods, area) ? methods[area] : undefined;
  if (allowed !== undefined && !allowed.includes(method))
    throw new HttpError(405, `method ${method} is not allowed for /${area}: want ${allowed.join(" or ")}`);
}
