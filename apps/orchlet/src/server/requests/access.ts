import {
  type Attributes,
  type Authorizer,
  accessReviewAuthorizer,
  alwaysAllow,
  cachedTokenAuthenticator,
  type PeerCertificates,
  type ReviewClient,
  requestAuthenticators,
  tokenReviewAuthenticator,
  type UserInfo,
} from "@orchernetes/auth";
import type { Client } from "@orchernetes/client";
import { type GuardOptions, targetOf } from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { Clock, HttpRequest, Logger } from "@orchernetes/kernel";
import { pathParts } from "./methods.ts";

/** The API verb of each method, as the authorization webhook expects it. */
const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Areas in which every method acts on a pod: an exec over WebSocket starts with GET. */
const actions: ReadonlySet<string> = new Set(["run", "exec", "attach", "portForward"]);

/** Subresources of the node by the first segment of the path. All other paths are its `proxy` subresource. */
const subresources: ReadonlyMap<string, string> = new Map([
  ["stats", "stats"],
  ["metrics", "metrics"],
  ["logs", "log"],
  ["spec", "spec"],
  ["checkpoint", "checkpoint"],
]);

/**
 * The authorization attributes of a request to the agent: a verb on a subresource of the node. Source: "Orchlet
 * authentication/authorization" of the documentation.
 */
export function nodeAttributes(request: HttpRequest, user: UserInfo, nodeName: string): Attributes {
  const { path } = targetOf(request);
  const [area = ""] = pathParts(path);
  return {
    user,
    verb: actions.has(area) ? "create" : (verbs[request.method ?? "GET"] ?? "get"),
    namespace: "",
    apiGroup: "",
    apiVersion: "v1",
    resource: "nodes",
    subresource: subresources.get(area) ?? "proxy",
    name: nodeName,
    path,
    resourceRequest: true,
  };
}

/** Number of tokens whose reviews are cached. */
const TOKEN_CACHE_LIMIT = 4096;

const noReviewer: Authorizer = { authorize: () => ({ type: "NoOpinion", reason: "no API server to ask" }) };

/**
 * The authenticators and authorizers of the agent's server, according to its configuration. Reviews need an API server;
 * without one, requests that need a review are denied.
 */
export function accessOptions(options: {
  readonly settings: Pick<OrchletConfiguration, "authentication" | "authorization">;
  readonly nodeName: string;
  readonly client: Client | undefined;
  readonly peers: PeerCertificates;
  readonly logger: Logger;
  readonly clock: Clock;
}): GuardOptions {
  const { client, nodeName, logger, peers, clock } = options;
  const { x509, webhook, anonymous } = options.settings.authentication;
  const { mode, webhook: ttls } = options.settings.authorization;
  const review: ReviewClient | undefined =
    client && ((path, body, signal) => client.request({ method: "POST", path, body, signal }));
  const tokens =
    webhook.enabled && review !== undefined
      ? cachedTokenAuthenticator(tokenReviewAuthenticator({ review }), {
          ttlMs: webhook.cacheTTL,
          unknownTtlMs: webhook.cacheTTL,
          maxEntries: TOKEN_CACHE_LIMIT,
          clock,
        })
      : undefined;
  const delegated =
    review &&
    accessReviewAuthorizer({
      review,
      allowTtlMs: ttls.cacheAuthorizedTTL,
      denyTtlMs: ttls.cacheUnauthorizedTTL,
      clock,
    });
  return {
    authenticators: requestAuthenticators({ clients: x509.clientCAFile === "" ? undefined : peers, tokens, clock }),
    authorizers: [mode === "AlwaysAllow" ? alwaysAllow : (delegated ?? noReviewer)],
    anonymous: anonymous.enabled,
    attributes: (request, user) => nodeAttributes(request, user, nodeName),
    logger,
  };
}
