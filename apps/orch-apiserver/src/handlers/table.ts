import type { HandlerTable, RequestHandler } from "@orchernetes/apiserver";
import { handlerKey } from "@orchernetes/apiserver";
import type { TokenAuthenticator } from "@orchernetes/auth";
import type { Check } from "@orchernetes/component";
import type { ConfiguredAuthorization } from "../authorization/create-authorization.ts";
import type { Config } from "../config.ts";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import { podConnectHandler } from "../node-proxy/connect.ts";
import { identifyingHeaders, withoutIdentity } from "../node-proxy/identifying-headers.ts";
import { podLogHandler } from "../node-proxy/log.ts";
import type { NodeConnection } from "../node-proxy/node-connection.ts";
import { nodeProxyHandler, podProxyHandler } from "../node-proxy/proxy.ts";
import { serviceProxyHandler } from "../node-proxy/service-proxy.ts";
import type { TokenIssuer } from "../service-accounts/token-issuer.ts";
import {
  localSubjectAccessReviewHandler,
  selfSubjectAccessReviewHandler,
  subjectAccessReviewHandler,
} from "./access-reviews.ts";
import { selfSubjectReviewHandler, tokenReviewHandler } from "./authentication-reviews.ts";
import { bindingHandler, podBindingHandler } from "./binding.ts";
import { componentStatusesHandler, daemonComponent, storeComponents } from "./component-statuses.ts";
import { podEvictionHandler } from "./eviction.ts";
import { selfSubjectRulesReviewHandler } from "./rules-review.ts";
import { serviceAccountTokenHandler } from "./service-account-token.ts";

const AUTHN = "authentication.o8s.io";
const AUTHZ = "authorization.o8s.io";

/** Behaviour of the subresources and review kinds that are more than reading and writing an object. */
export function createHandlers(parts: {
  readonly config: Config;
  readonly tokens: TokenAuthenticator;
  readonly issuer: TokenIssuer;
  readonly authorization: Pick<ConfiguredAuthorization, "authorizers" | "ruleSources">;
  readonly nodes: NodeConnection;
  readonly destinations: DestinationResolver;
  readonly stores: readonly Check[];
}): HandlerTable {
  const { config, nodes, destinations, tokens, issuer } = parts;
  const { authorizers, ruleSources } = parts.authorization;
  const { audiences } = config.serviceAccounts;
  const identifying = identifyingHeaders(config.flags);
  const forwarding = (handler: RequestHandler) => withoutIdentity(handler, identifying);
  const connect = forwarding(podConnectHandler(nodes));
  return {
    [handlerKey("", "bindings")]: bindingHandler,
    [handlerKey("", "componentstatuses")]: componentStatusesHandler([
      daemonComponent("scheduler", 10259),
      daemonComponent("controller-manager", 10257),
      ...storeComponents(parts.stores),
    ]),
    [handlerKey("", "pods", "binding")]: podBindingHandler,
    [handlerKey("", "pods", "eviction")]: podEvictionHandler(config),
    [handlerKey("", "pods", "log")]: forwarding(podLogHandler(nodes)),
    [handlerKey("", "pods", "exec")]: connect,
    [handlerKey("", "pods", "attach")]: connect,
    [handlerKey("", "pods", "portforward")]: connect,
    [handlerKey("", "pods", "proxy")]: forwarding(podProxyHandler(destinations)),
    [handlerKey("", "services", "proxy")]: forwarding(serviceProxyHandler(destinations)),
    [handlerKey("", "nodes", "proxy")]: forwarding(nodeProxyHandler(nodes)),
    [handlerKey("", "serviceaccounts", "token")]: serviceAccountTokenHandler({
      issuer,
      apiAudiences: audiences,
      maxExpirationSeconds: Math.floor(config.flags["service-account-max-token-expiration"] / 1000),
      extendExpiration: config.flags["service-account-extend-token-expiration"],
    }),
    [handlerKey(AUTHN, "tokenreviews")]: tokenReviewHandler(tokens, audiences),
    [handlerKey(AUTHN, "selfsubjectreviews")]: selfSubjectReviewHandler,
    [handlerKey(AUTHZ, "subjectaccessreviews")]: subjectAccessReviewHandler(authorizers),
    [handlerKey(AUTHZ, "localsubjectaccessreviews")]: localSubjectAccessReviewHandler(authorizers),
    [handlerKey(AUTHZ, "selfsubjectaccessreviews")]: selfSubjectAccessReviewHandler(authorizers),
    [handlerKey(AUTHZ, "selfsubjectrulesreviews")]: selfSubjectRulesReviewHandler(ruleSources),
  };
}
