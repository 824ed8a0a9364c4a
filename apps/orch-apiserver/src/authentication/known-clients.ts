import { type Authenticator, type AuthRequest, type AuthResult, isAnonymous } from "@orchernetes/auth";
import { markKnown } from "@orchernetes/component";

/** Marks the connections of authenticated clients; others must not stay idle. */
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
