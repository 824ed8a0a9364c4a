import { ApiError, internalError } from "@orchernetes/apimachinery";
import {
  type Attributes,
  Authentication,
  type Authenticator,
  Authorization,
  type Authorizer,
  authenticationChallenge,
  isAnonymous,
  pathAttributes,
  type RequestNotes,
  type UserInfo,
} from "@orchernetes/auth";
import type { HttpHandler, HttpRequest, HttpResponse, Logger } from "@orchernetes/kernel";
import { respond, targetOf } from "./http.ts";
import { markKnown } from "./unknown-connections.ts";

/** The users who may send requests to a daemon's own server. */
export interface GuardOptions {
  /** Called in this order. */
  readonly authenticators: readonly Authenticator[];
  /** Called in this order. */
  readonly authorizers: readonly Authorizer[];
  /** Whether requests without credentials are served as `system:anonymous`. @default true */
  readonly anonymous?: boolean;
  /** Attributes of a request. @default its path, with its method as the verb */
  readonly attributes?: (request: HttpRequest, user: UserInfo) => Attributes;
  readonly logger: Logger;
}

/** Only the API server sends warnings and writes audit annotations. */
const noNotes: RequestNotes = { warn() {}, annotate() {} };

/**
 * Puts authentication and authorization before a handler. Without valid credentials the response is 401, without permission 403, and
 * 500 if no decision is possible; each a Status object.
 */
export function guard(options: GuardOptions, handler: HttpHandler): HttpHandler {
  const { authenticators, authorizers, logger, anonymous = true, attributes = ofPath } = options;
  const authentication = new Authentication({ authenticators, anonymous, logger });
  const authorization = new Authorization(authorizers);
  return async (request, response) => {
    try {
      const user = await authentication.authenticate(request, noNotes);
      if (!isAnonymous(user)) markKnown(request);
      await authorization.check(attributes(request, user));
    } catch (error) {
      return refuse(request, response, error, logger);
    }
    return handler(request, response);
  };
}

function ofPath(request: HttpRequest, user: UserInfo): Attributes {
  return pathAttributes(user, (request.method ?? "GET").toLowerCase(), targetOf(request).path);
}

function refuse(request: HttpRequest, response: HttpResponse, error: unknown, logger: Logger): void {
  const { code, status } = error instanceof ApiError ? error : internalError(error);
  if (code >= 500) logger.error(error, "Unable to authorize the request");
  const headers = {
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache, private",
    ...(code === 401 && { "www-authenticate": authenticationChallenge }),
  };
  respond(request, response, code, headers, `${JSON.stringify(status)}\n`);
}
