import { type Authenticator, type AuthRequest, type AuthResult, isAnonymous } from "@orchernetes/auth";
import { markKnown } from "./unknown-connections.ts";

/**
 * An authenticator that marks the connections of authenticated clients: the number and idle time of all others are
 * limited. {@link guard} does this itself.
 */
export function knownClients(inner: Authenticator): Authenticator {
  const settle = (request: AuthRequest, result: AuthResult): AuthResult => {
    if (result.type === "authenticated" && !isAnonymous(result.user)) markKnown(request);
    return result;
  };
  return {
    authenticate(request) {
      const result = inner.authenticate(request);
      return result instanceof Promise ? result.then((late) => settle(request, late)) : settle(request, result);
    },
  };
}
