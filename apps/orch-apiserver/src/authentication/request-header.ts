import type { Authenticator } from "@orchernetes/apiserver";
import { type FrontProxyOptions, identityFromFrontProxy } from "@orchernetes/component";

/**
 * Believes the identity headers of a front proxy whose client certificate is signed by the request-header authority (a
 * different one than `--client-ca-file`: whoever holds such a certificate can be anybody).
 */
export function requestHeaderAuthenticator(options: FrontProxyOptions): Authenticator {
  return { authenticate: (request) => identityFromFrontProxy(request, options) };
}
