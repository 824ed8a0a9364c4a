import { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { respond, targetOf } from "@orchernetes/component";
import type { HttpHandler, HttpRequest, HttpResponse } from "@orchernetes/kernel";

/** The parts of an express 5 application that are used here. */
interface ExpressApp {
  readonly request: object;
  readonly response: object;
  handle(request: unknown, response: unknown, done?: (error?: unknown) => void): void;
}

/**
 * Makes an express application safe over HTTP/2 as well as HTTP/1.1.
 *
 * express gives every message the prototypes of its own request and response, which end in those of `node:http`. On
 * messages of `node:http2` the next access then throws outside any handler. Here, messages over HTTP/2 get the same
 * methods on the prototypes of `node:http2`. Mount routers, not applications, under such an application, and read
 * bodies with `readBody`, since the parser of express drops HTTP/2 bodies without a declared length.
 *
 * express routes by the path that {@link targetOf} returns, regardless of the form of the target: that path was
 * authorized.
 *
 * @param app an application, the result of `express()`
 * @returns a handler that responds 404 if no route matches, and rejects with what a route throws, instead of writing
 *   the error's stack to the client
 */
export function expressHandler(app: unknown): HttpHandler {
  const responder = expressResponder(app);
  return async (request, response) => {
    if (!(await responder(request, response))) notFound(request, response);
  };
}

/**
 * Like {@link expressHandler}, for a server with other paths as well.
 *
 * @returns a function that resolves to false, with nothing written, if no route matches
 */
export function expressResponder(app: unknown): (request: HttpRequest, response: HttpResponse) => Promise<boolean> {
  const http1 = app as ExpressApp;
  const http2 = Object.create(http1 as object, {
    request: { value: rebase(http1.request, Http2ServerRequest.prototype) },
    response: { value: rebase(http1.response, Http2ServerResponse.prototype) },
  }) as ExpressApp;
  return (request, response) =>
    new Promise((resolve, reject) => {
      response.once("close", () => resolve(true));
      const url = originForm(request);
      if (url === undefined) {
        resolve(false);
        return;
      }
      if (url !== request.url) Object.assign(request, { url });
      const view = request.httpVersionMajor === 2 ? http2 : http1;
      http1.handle.call(view, request, response, (error) => {
        if (error) reject(error);
        else resolve(false);
      });
    });
}

function notFound(request: HttpRequest, response: HttpResponse): void {
  respond(request, response, 404, { "content-type": "text/plain; charset=utf-8" }, "404 page not found\n");
}

/**
 * Characters at which express switches from its own parser of targets to one of URLs, which treats `\` as `/` and `#`
 * as the end.
 */
const misread = /[\t\n\f\r #\u00a0\ufeff]/g;

/**
 * A request's path and query, without characters that express interprets differently: over HTTP/2,
 * `http://x\metrics#/healthz` is a target that was authorized as `/healthz`, and is `/metrics` to a parser of URLs.
 * Undefined for a target that is not a path.
 */
function originForm(request: HttpRequest): string | undefined {
  const { path } = targetOf(request);
  if (!path.startsWith("/")) return undefined;
  const target = request.url ?? "/";
  const queryAt = target.indexOf("?");
  return (queryAt === -1 ? path : path + target.slice(queryAt)).replace(misread, encodeURIComponent);
}

/** Copies the layers of express in a prototype chain (up to those of node:http) onto another base, innermost last. */
function rebase(prototype: object, base: object): object {
  const layers: object[] = [];
  for (let layer: object | null = prototype; layer !== null; layer = Object.getPrototypeOf(layer)) {
    const name: unknown = Object.hasOwn(layer, "constructor")
      ? (layer.constructor as { name?: unknown }).name
      : undefined;
    if (name === "IncomingMessage" || name === "ServerResponse" || layer === Object.prototype) break;
    layers.push(layer);
  }
  return layers.reduceRight<object>(
    (below, layer) => Object.create(below, Object.getOwnPropertyDescriptors(layer)),
    base,
  );
}
