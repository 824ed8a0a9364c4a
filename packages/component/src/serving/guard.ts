import type { HttpHandler, HttpRequest, Logger } from "@orchernetes/kernel";
import { respond, targetOf } from "../serving/http.ts";
import { markKnown } from "../serving/unknown-connections.ts";
import {
  type Attributes,
  type Authenticator,
  type Authorizer,
  anonymousUser,
  InvalidCredentialsError,
  type UserInfo,
} from "./interfaces.ts";

/** How requests to a daemon's own server are let in. */
export interface GuardOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Whether requests without credentials are served as `system:anonymous`. @default true */
  readonly anonymous?: boolean;
  /** What a request wants; by default to use its path with its method as the verb. */
  readonly attributes?: (request: HttpRequest, user: UserInfo) => Attributes;
  readonly logger: Logger;
}

/**
 * Puts authentication and authorization before a handler. Without valid credentials the answer is 401, without permission 403,
 * both as a Status object.
 */
export function guard(options: GuardOptions, handler: HttpHandler): HttpHandler {
  const { authenticator, authorizer, logger, anonymous = true, attributes = pathAttributes } = options;
  return async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const deny = (code: number, reason: string, message: string) => {
      const status = {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message,
        reason,
        details: {},
        code,
      };
      const headers = {
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
        "cache-control": "no-cache, private",
      };
      respond(request, response, code, headers, `${JSON.stringify(status)}\n`);
    };
    let user: UserInfo | undefined;
    try {
      user = await authenticator.authenticate(request, gone.signal);
    } catch (error) {
      if (!(error instanceof InvalidCredentialsError)) logger.error(error, "Unable to authenticate the request");
      return deny(401, "Unauthorized", "Unauthorized");
    }
    if (user === undefined && !anonymous) return deny(401, "Unauthorized", "Unauthorized");
    if (user !== undefined) markKnown(request);
    const wanted = attributes(request, withGroups(user));
    let reason: string;
    try {
      const answer = await authorizer.authorize(wanted, gone.signal);
      if (answer.decision === "Allow") return handler(request, response);
      reason = answer.reason;
    } catch (error) {
      logger.error(error, "Unable to authorize the request");
      reason = "";
    }
    return deny(403, "Forbidden", refusal(wanted, reason));
  };
}

/** A request as the use of a path, with the method in lower case as its verb. */
export function pathAttributes(request: HttpRequest, user: UserInfo): Attributes {
  return { kind: "path", user, verb: (request.method ?? "GET").toLowerCase(), path: targetOf(request).path };
}

function withGroups(user: UserInfo | undefined): UserInfo {
  if (user === undefined) return anonymousUser;
  const known = user.groups.includes("system:authenticated") || user.groups.includes("system:unauthenticated");
  return known || user.name === anonymousUser.name
    ? user
    : { ...user, groups: [...user.groups, "system:authenticated"] };
}

function refusal(wanted: Attributes, reason: string): string {
  const who = `User ${JSON.stringify(wanted.user.name)} cannot ${wanted.verb}`;
  const why = reason === "" ? "" : `: ${reason}`;
  if (wanted.kind === "path") return `forbidden: ${who} path ${JSON.stringify(wanted.path)}${why}`;
  const resource = wanted.subresource === "" ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  const object = wanted.name === "" ? "" : ` ${JSON.stringify(wanted.name)}`;
  const scope =
    wanted.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(wanted.namespace)}`;
  const typed = wanted.group === "" ? wanted.resource : `${wanted.resource}.${wanted.group}`;
  return `${typed}${object} is forbidden: ${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(wanted.group)} ${scope}${why}`;
}
