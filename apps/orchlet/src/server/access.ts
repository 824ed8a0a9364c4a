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
import { pathParts } from "./path-parts.ts";

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Paths that act on pods with any method: GET starts an exec over WebSocket, too. */
const actions: ReadonlySet<string> = new Set(["run", "exec", "attach", "portForward"]);

/** Subresources of the node by the first part of the path; all others are its `proxy`. */
const subresources: ReadonlyMap<string, string> = new Map([
  ["stats", "stats"],
  ["metrics", "metrics"],
  ["logs", "log"],
  ["spec", "spec"],
]);

/** What a request to the agent means in terms of the API: a verb on a part of the node. */
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

const nobodyToAsk: Authorizer = { authorize: () => ({ type: "NoOpinion", reason: "no API server to ask" }) };

/** Who may use the agent's server, by its configuration. Reviews need an API server; without one they refuse. */
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
    authorizers: [mode === "AlwaysAllow" ? alwaysAllow : (delegated ?? nobodyToAsk)],
    anonymous: anonymous.enabled,
    attributes: (request, user) => nodeAttributes(request, user, nodeName),
    logger,
  };
}
