import type { ServerResponse } from "node:http";
import { respond, targetOf } from "@orchernetes/component";
import type { HttpHandler, HttpRequest, HttpResponse, Logger } from "@orchernetes/kernel";
import express, { type Express, type RequestHandler, type Router } from "express";
import type { Page } from "./pages/agent-pages.ts";
import { HttpError, respondError } from "./requests/http-error.ts";
import { pathParts, requireMethod } from "./requests/methods.ts";

/** A handler of a path with parameters, which gets the decoded segments of the path after the first one. */
type PartsHandler = (
  parts: readonly string[],
  query: URLSearchParams,
  request: HttpRequest,
  response: HttpResponse,
) => Promise<void>;

/** Handles a request if it is one of its own. @returns whether it was */
export type OwnHandler = (...message: Parameters<HttpHandler>) => Promise<boolean>;

/** The handlers of requests that are not upgraded. */
export interface AgentAppOptions {
  readonly pages: Readonly<Record<string, Page>>;
  /** Handlers of health checks, profiles, logs and disabled paths, which are asked in this order before the pages. */
  readonly first: readonly OwnHandler[];
  /** Undefined if debugging handlers are disabled. */
  readonly debug: { readonly containerLogs: PartsHandler; readonly run: PartsHandler } | undefined;
  readonly logger: Logger;
}

/**
 * The agent's HTTP API as an express application. Routing is as in the original: paths are case-sensitive, a page may
 * have one trailing slash, and the method is checked first.
 */
export function createAgentApp(options: AgentAppOptions): Express {
  const { logger } = options;
  const app = express();
  app.disable("x-powered-by");
  app.use(sameSegments, ...options.first.map(first), pagesRouter(options.pages));
  if (options.debug !== undefined) app.use(debugRouter(options.debug));
  app.use((request, response) =>
    respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n"),
  );
  // express recognizes an error handler by its four parameters.
  app.use((error: unknown, request: HttpRequest, response: HttpResponse, _next: unknown) => {
    if (!(error instanceof HttpError)) logger.error(error, "Request failed", { path: targetOf(request).path });
    if (response.headersSent) (response as ServerResponse).destroy();
    else respondError(request, response, error);
  });
  return app;
}

/** First segments of paths that have parameters. */
const areas: ReadonlySet<string> = new Set(["containerLogs", "run", "exec", "attach", "portForward"]);

/**
 * Rejects methods that a path does not support, and normalizes the path to the segments that were authorized: `/%72un`
 * was authorized as `/run`, so it must be routed as `/run`, too.
 */
const sameSegments: RequestHandler = (request, _response, next) => {
  const { path } = targetOf(request);
  requireMethod(request, path);
  const parts = pathParts(path);
  const routed = areas.has(parts[0] ?? "") ? `/${parts.map(encodeURIComponent).join("/")}` : path;
  const queryAt = request.url.indexOf("?");
  request.url = queryAt === -1 ? routed : routed + request.url.slice(queryAt);
  next();
};

/** Converts a handler that may pass a request on to the next one. */
const first =
  (handle: OwnHandler): RequestHandler =>
  async (request, response, next) => {
    if (!(await handle(request, response))) next();
  };

function pagesRouter(pages: Readonly<Record<string, Page>>): Router {
  const router = express.Router({ caseSensitive: true });
  for (const [path, page] of Object.entries(pages)) {
    router.all(path, async (request, response) => {
      const [type, body] = await page(targetOf(request).query);
      respond(request, response, 200, { "content-type": type }, body);
    });
  }
  return router;
}

function debugRouter({ containerLogs, run }: NonNullable<AgentAppOptions["debug"]>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const withParts =
    (isMine: (count: number) => boolean, handle: PartsHandler): RequestHandler =>
    async (request, response, next) => {
      const { path, query } = targetOf(request);
      const [, ...parts] = pathParts(path);
      if (isMine(parts.length)) await handle(parts, query, request, response);
      else next();
    };
  router.all(
    "/containerLogs/*parts",
    withParts((count) => count === 3, containerLogs),
  );
  router.all(
    "/run/*parts",
    withParts((count) => count >= 3, run),
  );
  router.all(["/exec{/*parts}", "/attach{/*parts}", "/portForward{/*parts}"], () => {
    throw new HttpError(400, "you must specify at least 1 of stdin, stdout, stderr, and upgrade the connection");
  });
  return router;
}
