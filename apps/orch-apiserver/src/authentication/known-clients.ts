import type { Authenticator, AuthResult } from "@orchernetes/apiserver";
import { markKnown } from "@orchernetes/component";
import type { HttpRequest } from "@orchernetes/kernel";

/** Marks connections of authenticated clients; others may not stay idle. */
export function knownClients(inner: Authenticator): Authenticator {
  const settle = (request: HttpRequest, result: AuthResult): AuthResult => {
    if (result.type === "authenticated") markKnown(request);
    return result;
  };
  return {
    authenticate(request) {
      const result = inner.authenticate(request);
      return result instanceof Promise ? result.then((late) => settle(request, late)) : settle(request, result);
    },
  };
}
