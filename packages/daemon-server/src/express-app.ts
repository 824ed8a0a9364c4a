import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import express from "express";

/** Responds to a request, or resolves to false, with nothing written, if the path is not one of its own. */
export type HttpResponder = (request: HttpRequest, response: HttpResponse) => boolean | Promise<boolean>;

/** A responder as middleware: the request continues to the next one if it is not answered. */
export const middleware =
  (respondTo: HttpResponder): express.Handler =>
  async (request, response, next) => {
    if (!(await respondTo(request, response))) next();
  };

/** An express application that compares paths exactly, and adds no headers of its own. */
export function createExpressApp(): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // Handlers parse queries themselves, without the nesting that the parser of express builds.
  app.disable("query parser");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  return app;
}
