import { type Authenticator, requestAuthenticators, type TokenAuthenticator } from "@orchernetes/auth";
import { knownClients } from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import type { Config } from "../config.ts";
import { RECHECK_AFTER_MS } from "./create-token-authenticator.ts";
import type { FollowedCredentials } from "./followed-credentials.ts";

/** Dependencies of {@link createAuthenticators}. */
export interface AuthenticatorParts {
  readonly tokens: TokenAuthenticator;
  readonly credentials: Pick<FollowedCredentials, "clients" | "frontProxies">;
  /** Called for each request with a client certificate, with the time for which it is still valid. */
  readonly onCertificate?: (remainingSeconds: number) => void;
}

/** Creates the authenticators of requests in the order in which they are asked: front proxy, client certificate, bearer token. */
export function createAuthenticators(
  config: Pick<Config, "flags" | "serviceAccounts">,
  { tokens, credentials, onCertificate }: AuthenticatorParts,
): readonly Authenticator[] {
  const { flags, serviceAccounts } = config;
  const { clients, frontProxies } = credentials;
  return requestAuthenticators({
    frontProxies: frontProxies && {
      peers: frontProxies,
      allowedNames: flags["requestheader-allowed-names"],
      usernameHeaders: flags["requestheader-username-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraHeaderPrefixes: flags["requestheader-extra-headers-prefix"],
    },
    clients,
    onCertificate,
    tokens,
    audiences: serviceAccounts.audiences,
    recheckAfterMs: RECHECK_AFTER_MS,
    clock: systemClock,
  }).map(knownClients);
}
