import type { Client } from "@orchernetes/client";
import {
  type Attributes,
  type Authorizer,
  accessReviewAuthorizer,
  certificateAuthenticator,
  type GuardOptions,
  type PeerCertificates,
  targetOf,
  tokenReviewAuthenticator,
  type UserInfo,
  unionAuthenticator,
} from "@orchernetes/component";
import type { OrchletConfiguration } from "@orchernetes/config";
import type { HttpRequest, Logger } from "@orchernetes/kernel";
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
  const [area = ""] = pathParts(targetOf(request).path);
  return {
    kind: "resource",
    user,
    verb: actions.has(area) ? "create" : (verbs[request.method ?? "GET"] ?? "get"),
    group: "",
    version: "v1",
    resource: "nodes",
    subresource: subresources.get(area) ?? "proxy",
    namespace: "",
    name: nodeName,
  };
}

const allowAll: Authorizer = { authorize: async () => ({ decision: "Allow", reason: "" }) };

/** Who may use the agent's server, by its configuration. Reviews need an API server; without one they refuse. */
export function accessOptions(options: {
  readonly settings: Pick<OrchletConfiguration, "authentication" | "authorization">;
  readonly nodeName: string;
  readonly client: Client | undefined;
  readonly peers: PeerCertificates;
  readonly logger: Logger;
}): GuardOptions {
  const { client, nodeName, logger, peers } = options;
  const { x509, webhook, anonymous } = options.settings.authentication;
  const { mode, webhook: ttls } = options.settings.authorization;
  const review =
    client === undefined
      ? undefined
      : (path: string, body: object, signal: AbortSignal) => client.request({ method: "POST", path, body, signal });
  return {
    authenticator: unionAuthenticator([
      ...(x509.clientCAFile === "" ? [] : [certificateAuthenticator(peers)]),
      ...(webhook.enabled && review !== undefined
        ? [tokenReviewAuthenticator({ review, ttlMs: webhook.cacheTTL })]
        : []),
    ]),
    authorizer:
      mode === "AlwaysAllow"
        ? allowAll
        : review === undefined
          ? { authorize: async () => ({ decision: "NoOpinion", reason: "no API server to ask" }) }
          : accessReviewAuthorizer({
              review,
              allowTtlMs: ttls.cacheAuthorizedTTL,
              denyTtlMs: ttls.cacheUnauthorizedTTL,
            }),
    anonymous: anonymous.enabled,
    attributes: (request, user) => nodeAttributes(request, user, nodeName),
    logger,
  };
}
